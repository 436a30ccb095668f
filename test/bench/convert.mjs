// Conversion against the native floor of the same work, as paired ratios within one run: the candidates alternate,
// and a ratio is the median of the per-round ratios. Bytes in, bytes out, so that no rope string looks free.
import { convert, stringify, validate } from "../../dist/src/index.js";
import { fixtures } from "./fixtures.mjs";

const rounds = 15;
const roundMilliseconds = 40;

const from = "watsonx";
const to = "strands:typescript";
const floor = (bytes) => Buffer.from(JSON.stringify(JSON.parse(bytes.toString())));
const ours = (bytes) => Buffer.from(stringify(convert(bytes, { from, to, carry: "off" }).output));
const withCarry = (bytes) => Buffer.from(stringify(convert(bytes, { from, to }).output));
const nestedFloor = (bytes) => {
  const outer = JSON.parse(bytes.toString());
  return Buffer.from(JSON.stringify(JSON.parse(outer.content)));
};

const rows = [
  ["1 full conversion, 17 KB", fixtures.medium, ours, floor, "<= 1.15"],
  ["1 full conversion, 17 KB unicode", fixtures.unicode, ours, floor, "<= 1.15"],
  ["1 full conversion, 17 KB Python-escaped", fixtures.pythonEscaped, ours, floor, "<= 1.15"],
  ["1 full conversion, 2 MB of rows", fixtures.large, ours, floor, "<= 1.15"],
  ["2 full conversion, 10 MB base64", fixtures.image, ours, floor, "<= 1.05"],
  ["3 full conversion, 267 B", fixtures.small, ours, floor, "<= 1.30"],
  ["3 the same with an inline carry", fixtures.small, withCarry, floor, "no goal"],
  ["4 full conversion, 200 blocks", fixtures.blocks, ours, floor, "<= 1.35"],
  ["5 JSON in a string, 19 KB", fixtures.nestedMedium, ours, nestedFloor, "<= 0.80"],
  ["5 JSON in a string, 2.3 MB", fixtures.nestedLarge, ours, nestedFloor, "<= 0.80"],
  ["6 5 % unsafe integers, 17 KB", fixtures.unsafeMedium, ours, floor, "<= 2.5"],
  ["6 5 % unsafe integers, 2 MB", fixtures.unsafeLarge, ours, floor, "<= 2.5"],
  [
    "7 validation alone, 200 blocks",
    JSON.parse(fixtures.blocks),
    (value) => validate(value, { from }),
    () => floor(fixtures.blocks),
    "<= 0.12",
  ],
];

process.stdout.write(`Node ${process.version}; ratio to the floor, median of ${rounds} paired rounds\n\n`);
process.stdout.write("| row | goal | ratio | from | to | ours |\n|---|--:|--:|--:|--:|--:|\n");
for (const [name, input, candidate, reference, goal] of rows) {
  const { ratios, own } = pair(
    () => candidate(input),
    () => reference(input),
  );
  const middle = ratios[ratios.length >> 1];
  const limit = Number(/[\d.]+/.exec(goal)?.[0] ?? Number.POSITIVE_INFINITY);
  const verdict = middle <= limit ? "" : " (missed)";
  process.stdout.write(
    `| ${name} | ${goal} | ${middle.toFixed(2)}${verdict} | ${ratios[0].toFixed(2)} | ${ratios.at(-1).toFixed(2)} | ${time(own)} |\n`,
  );
}

function pair(candidate, reference) {
  const [candidateTimes, referenceTimes] = [repetitions(candidate), repetitions(reference)];
  const ratios = [];
  let own = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    // The order turns, so that neither always runs on the other's warm caches.
    const first = round % 2 === 0;
    const early = first ? measure(candidate, candidateTimes) : measure(reference, referenceTimes);
    const late = first ? measure(reference, referenceTimes) : measure(candidate, candidateTimes);
    const [mine, theirs] = first ? [early, late] : [late, early];
    ratios.push(mine / theirs);
    own = Math.min(own, mine);
  }
  return { ratios: ratios.sort((a, b) => a - b), own };
}

function repetitions(work) {
  for (let warm = 0; warm < 3; warm += 1) work();
  let count = 1;
  while (measure(work, count) * count < roundMilliseconds && count < 1e6) count *= 2;
  return count;
}

/** Milliseconds for one call. */
function measure(work, count) {
  const begun = process.hrtime.bigint();
  for (let index = 0; index < count; index += 1) work();
  return Number(process.hrtime.bigint() - begun) / 1e6 / count;
}

function time(milliseconds) {
  return milliseconds < 1 ? `${(milliseconds * 1000).toFixed(1)} µs` : `${milliseconds.toFixed(1)} ms`;
}
