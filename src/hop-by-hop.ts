const hopByHopKeys: ReadonlySet<string> = new Set(["traceparent", "tracestate", "baggage", "progressToken"]);

/** Whether a key of result metadata belongs to the connection that it came on, and goes no further (R27). */
export function isHopByHop(key: string): boolean {
  return key.startsWith("io.modelcontextprotocol/") || hopByHopKeys.has(key);
}
