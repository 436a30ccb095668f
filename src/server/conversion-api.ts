import type { Converter } from "../converter.ts";
import { explain } from "../explain.ts";
import { matrix } from "../matrix.ts";
import type { Limits } from "../options.ts";
import { jsonAnswer } from "./answers.ts";
import { convertBody } from "./convert-body.ts";
import type { Answer, Endpoint, Exchange, Surface } from "./endpoint.ts";
import { problemText } from "./problem.ts";
import { readConvertQuery, readQuery, readValidateQuery } from "./query.ts";

/** What a server sets where a library leaves it to its caller (R16). */
export const serverDefaults = { maxBodyBytes: 16 * 1024 * 1024, limits: { maxNodes: 1_000_000 } } as const;

export interface ConversionApiSettings {
  /** Bytes that are held of a body that is read as it comes; the whole ones are the server's to limit. Default 16 MiB. */
  readonly maxBodyBytes?: number;
  /** Limits of reading. By default those of the library, and 1,000,000 nodes. */
  readonly limits?: Partial<Limits>;
}

/** The library over HTTP: conversions, and what there is to know about formats and losses. */
export function conversionApi(converter: Converter, settings: ConversionApiSettings = {}): Surface {
  const { maxBodyBytes = serverDefaults.maxBodyBytes } = settings;
  const limits = { ...serverDefaults.limits, ...settings.limits };
  const matrixText = cachedMatrix(converter);

  const convert = (exchange: Exchange) => {
    const request = readConvertQuery(exchange.url.searchParams, limits);
    return convertBody(converter, exchange, request, maxBodyBytes);
  };
  const detect = async (exchange: Exchange) => jsonAnswer(converter.detect(await exchange.body()));
  const validate = async (exchange: Exchange) => {
    const options = readValidateQuery(exchange.url.searchParams, limits);
    const validation = converter.validate(await exchange.body(), options);
    if (validation.valid) return jsonAnswer(validation);
    const error: unknown = JSON.parse(problemText(validation.error, exchange.requestId));
    return jsonAnswer({ valid: false, error });
  };
  return {
    endpoints: [
      work("POST", "/v1/convert", "converts the body: ?from=FORMAT&to=FORMAT&envelope=1 and more", convert),
      work("POST", "/v1/detect", "names the format of the body", detect),
      work("POST", "/v1/validate", "says whether the body can be read: ?from=FORMAT", validate),
      work("GET", "/v1/matrix", "shows what becomes of what: ?from=FORMAT&to=FORMAT", ({ url }) =>
        matrixText(readQuery(url.searchParams, ["from", "to"])),
      ),
      lookUp("/v1/formats", "lists the formats", () => jsonAnswer(converter.formats())),
      lookUp("/v1/explain/:code", "explains a loss or an error", ({ params }) =>
        jsonAnswer(explain(params.code ?? "")),
      ),
    ],
  };
}

type Handle = Endpoint["handle"];

/** A row whose requests take time of the processor, and so count as calls. */
function work(method: "GET" | "POST", path: string, what: string, handle: Handle): Endpoint {
  return { method, path, what, access: "key", admitted: true, handle };
}

function lookUp(path: string, what: string, handle: Handle): Endpoint {
  return { method: "GET", path, what, access: "key", admitted: false, handle };
}

/** The tables of `trg matrix`; each is computed when it is first asked for. There are as many as pairs of dialects. */
function cachedMatrix(converter: Converter): (wanted: ReadonlyMap<"from" | "to", string>) => Answer {
  const all = converter.formats().map(({ id }) => id);
  const answers = new Map<string, Answer>();
  return (wanted) => {
    const [from, to] = [wanted.get("from"), wanted.get("to")];
    const key = `${from ?? ""} ${to ?? ""}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const ids = (side: string | undefined) => (side === undefined ? all : [side]);
    const answer = jsonAnswer(matrix(converter, ids(from), ids(to)));
    answers.set(key, answer);
    return answer;
  };
}
