import type { Face } from "../face.ts";
import { difyDaemonFace } from "./dify-daemon.ts";
import { httpFace } from "./http.ts";

/** The faces that come with the program. */
export const faces: readonly Face[] = [httpFace, difyDaemonFace as Face];
