import { difyAdapter } from "../../adapters/dify/index.ts";
import { everyChange, testLaws } from "./test-laws.ts";

testLaws(difyAdapter, everyChange.runs, everyChange.seed);
