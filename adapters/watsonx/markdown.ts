import type { LinkPart } from "../../src/ir.ts";
import { nameOfUri } from "../../src/mcp-block.ts";

/**
 * A link as the Markdown that watsonx chat renders
 * (https://developer.watson-orchestrate.ibm.com/tools/create_tool, "inline tables, images or links"). Neither name nor
 * URL can end the link or begin another element.
 */
export function markdownLink(part: LinkPart, isImage: boolean): string {
  const name = part.name ?? part.title ?? nameOfUri(part.url);
  return `${isImage ? "!" : ""}[${escapedName(name)}](<${escapedUrl(part.url)}>)`;
}

function escapedName(name: string): string {
  return name.replaceAll(/[\r\n\u2028\u2029]+/g, " ").replaceAll(/[\\[\]`<]/g, "\\$&");
}

/** A backslash would escape what follows it. */
function escapedUrl(url: string): string {
  return url.replaceAll(/[\s\p{Cc}<>\\]/gu, encodeURIComponent);
}
