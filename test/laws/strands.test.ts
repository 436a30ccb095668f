import { strandsAdapter } from "../../adapters/strands/index.ts";
import { everyChange, testLaws } from "./test-laws.ts";

testLaws(strandsAdapter, everyChange.runs, everyChange.seed);
