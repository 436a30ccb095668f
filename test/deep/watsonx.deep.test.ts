import { watsonxAdapter } from "../../adapters/watsonx/index.ts";
import { testLaws } from "../laws/test-laws.ts";
import { deepRuns, seed } from "./settings.ts";

testLaws(watsonxAdapter, deepRuns, seed);
