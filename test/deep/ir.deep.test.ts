import { irAdapter } from "../../adapters/ir/index.ts";
import { testLaws } from "../laws/test-laws.ts";
import { deepRuns, seed } from "./settings.ts";

testLaws(irAdapter, deepRuns, seed);
