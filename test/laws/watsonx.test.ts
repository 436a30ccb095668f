import { watsonxAdapter } from "../../adapters/watsonx/index.ts";
import { everyChange, testLaws } from "./test-laws.ts";

testLaws(watsonxAdapter, everyChange.runs, everyChange.seed);
