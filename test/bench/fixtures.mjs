// Deterministic documents of the kinds that tools give back; every one a watsonx result.
const random = (seed) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

function record(next, index, { unicode = false, unsafe = false } = {}) {
  return {
    id: unsafe && index % 20 === 0 ? "@12345678901234567890@" : index,
    name: unicode ? `記録 ${index} 🙂 ${(next() * 1e6) | 0}` : `record ${index} ${(next() * 1e6) | 0}`,
    score: Math.round(next() * 1e4) / 100,
    active: next() > 0.5,
    tags: ["alpha", "beta", "gamma"].slice(0, 1 + ((next() * 3) | 0)),
    place: {
      city: unicode ? "大阪" : "Oslo",
      at: [Math.round(next() * 1e4) / 100, Math.round(next() * 1e4) / 100],
    },
  };
}

function records(count, options) {
  const next = random(7);
  return Array.from({ length: count }, (_, index) => record(next, index, options));
}

const bytes = (value) => Buffer.from(JSON.stringify(value).replaceAll(/"@(\d+)@"/g, "$1"));
const structured = (value) => ({
  content: [{ type: "text", text: "see the data" }],
  structuredContent: value,
});
const escaped = (value) =>
  Buffer.from(
    JSON.stringify(value).replaceAll(
      /[\u0080-\uffff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );
const history = (value) => ({ type: "tool_response", name: "search", content: JSON.stringify(value) });

const png = Buffer.alloc(7_900_000, 0x5a);
Buffer.from("89504e470d0a1a0a", "hex").copy(png);

export const fixtures = {
  small: bytes({
    content: [
      {
        type: "text",
        text: `It is 18 degrees in Oslo, with light rain from the west until the evening. ${"x".repeat(140)}`,
      },
    ],
  }),
  medium: bytes(structured({ rows: records(120) })),
  unicode: bytes(structured({ rows: records(110, { unicode: true }) })),
  pythonEscaped: escaped(structured({ rows: records(90, { unicode: true }) })),
  large: bytes(structured({ rows: records(14_500) })),
  image: bytes({ content: [{ type: "image", mimeType: "image/png", data: png.toString("base64") }] }),
  blocks: bytes({
    content: Array.from({ length: 200 }, (_, index) => ({
      type: "text",
      text: `line ${index} of the answer`,
    })),
  }),
  nestedMedium: bytes(
    history({ content: [{ type: "text", text: "see" }], structuredContent: { rows: records(120) } }),
  ),
  nestedLarge: bytes(
    history({ content: [{ type: "text", text: "see" }], structuredContent: { rows: records(14_500) } }),
  ),
  unsafeMedium: bytes(structured({ rows: records(120, { unsafe: true }) })),
  unsafeLarge: bytes(structured({ rows: records(14_500, { unsafe: true }) })),
};
