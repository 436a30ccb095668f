/** The gateway's one way out to a configured server, bound to its origin and base path. */
export interface HttpClient {
  /**
   * Sends one request below the base address. Resolves when the head of the answer has come. Throws ConversionError:
   * `upstream-unreachable`, `upstream-address-refused`, `upstream-timeout`, `upstream-disconnected`,
   * `upstream-protocol`, `cancelled`.
   */
  send(request: ClientRequest): Promise<ClientAnswer>;
  close(): Promise<void>;
}

export interface ClientRequest {
  readonly method: string;
  /** From `/`, below the base path; with query where there is one. `..` and encoded slashes are refused. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  /** Passed on as it is: redirects and error statuses are answers, sizes and total time are not limited. */
  readonly passThrough?: boolean;
}

export interface ClientAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}
