import { createConverter } from "../converter.ts";
import { createApp } from "../server/app.ts";
import { conversionApi } from "../server/conversion-api.ts";
import { Drain } from "../server/drain.ts";
import { healthSurface } from "../server/health.ts";
import { listen } from "../server/listen.ts";
import type { Log } from "../server/log.ts";
import type { LoadedConfig } from "./config/load.ts";
import { openGateway } from "./open-gateway.ts";

export interface RunningGateway {
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Stops in two steps, as `listen` does, and closes every connection to the outside. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly log: Log;
  /** Of the program, for `GET /version`. */
  readonly version: string;
}

/** Serves a configuration: its tools, the conversions and the health checks. Throws `port-failed`. */
export async function startGateway(
  { config, parts }: Pick<LoadedConfig, "config" | "parts">,
  { log, version }: StartOptions,
): Promise<RunningGateway> {
  const { server: settings, auth, limits } = config;
  const converter = createConverter(parts.adapters);
  const drain = new Drain();
  const shell = { settings, auth, log, drain };
  const gateway = openGateway(config, parts, converter, log);
  const surfaces = [
    ...gateway.surfaces,
    conversionApi(converter, { maxBodyBytes: settings.maxBodyBytes, limits }),
    healthSurface({ version, drain }),
  ];
  try {
    const listener = await listen(createApp(surfaces, shell), shell);
    const stop = async () => {
      await listener.stop();
      await gateway.close();
    };
    return { url: listener.url, stop };
  } catch (error) {
    await gateway.close();
    throw error;
  }
}
