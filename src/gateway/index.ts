/** The gateway as a library: to run one in a program of your own, and to write faces and kinds of upstreams for it. */

export type { Answer, Endpoint, Exchange, Surface } from "../server/endpoint.ts";
export { jsonLog, type Log, type LogFacts, type LogLevel, logLevels } from "../server/log.ts";
export type { ApiKey, AuthSettings, ServerSettings } from "../server/settings.ts";
export type { CallAnswer, Ending } from "./answer.ts";
export { builtInParts } from "./built-in.ts";
export type { ClientAnswer, ClientRequest, HttpClient } from "./client/http-client.ts";
export type { GatewayConfig, RouteConfig, RoutePolicy, ToolConfig, UpstreamConfig } from "./config/config.ts";
export { type LoadedConfig, type LoadOptions, loadConfig } from "./config/load.ts";
export { connectionShape, count, duration, onOff, size, text, texts, word } from "./config/values.ts";
export type { Face, FaceEnvironment } from "./face.ts";
export type { Gateway, GatewayCall } from "./gateway.ts";
export type { GatewayParts } from "./parts.ts";
export { type RunningGateway, type StartOptions, startGateway } from "./start-gateway.ts";
export type {
  ConnectionSettings,
  Upstream,
  UpstreamAnswer,
  UpstreamEnvironment,
  UpstreamKind,
  UpstreamRequest,
} from "./upstream.ts";
