/** First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const roundConstants = constants(64, 1 / 3);
/** The same of the square roots of the first eight (FIPS 180-4, 5.3.3). */
const initialState = constants(8, 1 / 2);

function constants(count: number, power: number): readonly number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes.map((prime) => {
    const root = prime ** power;
    return Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
  });
}

const blockBytes = 64;

/** SHA-256 of the bytes, 32 bytes long (FIPS 180-4). Needs nothing of the runtime. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / blockBytes) * blockBytes);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const state = [...initialState];
  for (let offset = 0; offset < padded.length; offset += blockBytes) compress(state, view, offset);
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setInt32(index * 4, word);
  return new Uint8Array(digest.buffer);
}

function compress(state: number[], view: DataView, offset: number): void {
  const schedule = new Int32Array(64);
  for (let index = 0; index < 16; index += 1) schedule[index] = view.getInt32(offset + index * 4);
  for (let index = 16; index < 64; index += 1) {
    const early = word(schedule, index - 15);
    const late = word(schedule, index - 2);
    const mixedEarly = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const mixedLate = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    schedule[index] = (word(schedule, index - 16) + mixedEarly + word(schedule, index - 7) + mixedLate) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
  for (let index = 0; index < 64; index += 1) {
    const choice = (e & f) ^ (~e & g);
    const sum = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const first = (h + sum + choice + (roundConstants[index] as number) + word(schedule, index)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) {
    state[index] = ((state[index] as number) + value) | 0;
  }
}

const word = (words: Int32Array, index: number): number => words[index] as number;
const turn = (value: number, bits: number): number => (value >>> bits) | (value << (32 - bits));

/** HMAC-SHA-256 as lower-case hexadecimal (RFC 2104). */
export function hmacSha256(key: Uint8Array, message: Uint8Array): string {
  const block = new Uint8Array(blockBytes);
  block.set(key.length > blockBytes ? sha256(key) : key);
  const inner = sha256(
    joined(
      block.map((byte) => byte ^ 0x36),
      message,
    ),
  );
  const outer = sha256(
    joined(
      block.map((byte) => byte ^ 0x5c),
      inner,
    ),
  );
  return Array.from(outer, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
