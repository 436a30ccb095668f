import { irAdapter } from "../../adapters/ir/index.ts";
import { everyChange, testLaws } from "./test-laws.ts";

testLaws(irAdapter, everyChange.runs, everyChange.seed);
