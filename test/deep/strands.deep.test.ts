import { strandsAdapter } from "../../adapters/strands/index.ts";
import { testLaws } from "../laws/test-laws.ts";
import { deepRuns, seed } from "./settings.ts";

testLaws(strandsAdapter, deepRuns, seed);
