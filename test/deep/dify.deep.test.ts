import { difyAdapter } from "../../adapters/dify/index.ts";
import { testLaws } from "../laws/test-laws.ts";
import { deepRuns, seed } from "./settings.ts";

testLaws(difyAdapter, deepRuns, seed);
