import type { LogLevel } from "./log.ts";

/** How the server behaves towards its clients. Times in milliseconds, sizes in bytes. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  /** Names beside `localhost`, `127.0.0.1` and `[::1]` that the Host header may have, without port. */
  readonly hosts: readonly string[];
  /** Origins of web pages that may call, such as `https://console.example.com`. */
  readonly origins: readonly string[];
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly maxRequestsPerSocket: number;
  readonly maxConnections: number;
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
  readonly maxBodyBytes: number;
  /** Bytes of bodies and answers held at one time, over all requests. */
  readonly maxHeldBytes: number;
  readonly maxInFlight: number;
  readonly maxQueued: number;
  readonly queueTimeout: number;
  /** Calls per second of one key; 0 is no limit. */
  readonly rate: number;
  /** Time between two comments that keep an idle event stream open. */
  readonly heartbeat: number;
  /** How long a stopping server still takes requests, telling each client to close. */
  readonly drainDelay: number;
  /** How long a stopping server waits for calls in flight. */
  readonly drainTimeout: number;
  readonly logLevel: LogLevel;
}

/** Who may call. */
export interface AuthSettings {
  readonly keys: readonly ApiKey[];
}

export interface ApiKey {
  /** Stands in the log for the key. */
  readonly name: string;
  /** At least 32 characters. */
  readonly key: string;
}
