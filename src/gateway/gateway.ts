import type { ToolCall } from "../call.ts";
import type { Converter, ConvertOptions } from "../converter.ts";
import { unknownWord } from "../errors.ts";
import type { Limits } from "../options.ts";
import type { Exchange } from "../server/endpoint.ts";
import { type CallAnswer, convertedAnswer, failedAnswer, failedByStatus, faultOf } from "./answer.ts";
import { newCallId } from "./call-id.ts";
import type { RouteConfig } from "./config/config.ts";
import { holding } from "./held-source.ts";
import type { Upstream } from "./upstream.ts";

/** Tools by name, and the one way to call them. */
export interface Gateway {
  readonly converter: Converter;
  readonly limits: Partial<Limits>;
  readonly routes: ReadonlyMap<string, RouteConfig>;
  /** Throws `unknown-tool`. */
  route(name: string): RouteConfig;
  /**
   * Calls the tool of a route and converts its result. Whatever the tool or its server does wrong is a result of
   * status `error`, or is thrown where the route wants it as a problem.
   */
  call(request: GatewayCall, exchange: Exchange): Promise<CallAnswer>;
}

export interface GatewayCall {
  readonly route: RouteConfig;
  /** With the id that the result gets; without one where the caller has none to look for. */
  readonly call: ToolCall;
  /** `dify:sse`. */
  readonly to: string;
  /** What this one call wants otherwise than its route. */
  readonly policy?: Pick<ConvertOptions, "mode" | "carry">;
}

export interface GatewayOptions {
  readonly converter: Converter;
  readonly limits: Partial<Limits>;
  readonly carryKey: string | undefined;
  readonly routes: readonly RouteConfig[];
  /** By name; every route's is there. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
}

export function createGateway({ converter, limits, carryKey, routes, upstreams }: GatewayOptions): Gateway {
  const byName = new Map(routes.map((route) => [route.name, route]));

  const answer = async (request: GatewayCall, exchange: Exchange, options: ConvertOptions) => {
    const { route, call } = request;
    const { toolCallId = newCallId() } = call;
    // The configuration is checked: a route names an upstream that there is.
    const upstream = upstreams.get(route.upstream) as Upstream;
    const found = await upstream.call({
      call: { ...call, toolCallId, name: route.tool.name ?? route.name },
      from: route.from,
      path: route.path,
      requestId: exchange.requestId,
      signal: exchange.signal,
    });
    const read = { ...options, from: found.from };
    const source = holding(found, exchange);
    if (found.failure === undefined) return convertedAnswer(converter, source, read);
    return failedByStatus(converter, found.failure, source, read);
  };

  return {
    converter,
    limits,
    routes: byName,
    route: (name) => {
      const found = byName.get(name);
      if (found === undefined) throw unknownWord("unknown-tool", "tool", name, [...byName.keys()]);
      return found;
    },
    call: async (request, exchange) => {
      const { route, call, to, policy } = request;
      const options: ConvertOptions = {
        ...route.policy,
        ...policy,
        ...(carryKey !== undefined && { carryKey }),
        limits,
        ...(call.toolCallId !== undefined && { toolCallId: call.toolCallId }),
        from: route.from,
        to,
      };
      exchange.note({ route: route.name, upstream: route.upstream });
      const wantsProblem = route.upstreamErrors === "problem";
      try {
        const found = await answer(request, exchange, options);
        const fault = found.ending()?.fault;
        if (fault !== undefined && wantsProblem) throw fault;
        return found;
      } catch (error) {
        const fault = faultOf(error, route, exchange);
        if (wantsProblem) throw fault;
        return failedAnswer(converter, fault, options);
      }
    },
  };
}
