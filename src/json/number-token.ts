const plus = 0x2b;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const letterE = 0x65;

/**
 * A token of fewer characters has at most 15 digits, and every such number survives a double of normal size: only
 * over- and underflow and the sign of zero can change it.
 */
export const shortestInexact = 16;

/** Below it a double has fewer digits than usual. */
const smallestNormal = 2 ** -1022;

/** Digits of an exponent that a double still adds to exactly. */
const exactDigits = 15;

/** Where the JSON number that begins at `start` ends (exclusive), or -1 where none does. Reads each character once. */
export function numberTokenEnd(text: string, start: number): number {
  let at = text.charCodeAt(start) === minus ? start + 1 : start;
  if (text.charCodeAt(at) === zero) {
    at += 1;
  } else {
    const end = digitsEnd(text, at);
    if (end === at) return -1;
    at = end;
  }
  if (text.charCodeAt(at) === point) {
    const end = digitsEnd(text, at + 1);
    if (end === at + 1) return -1;
    at = end;
  }
  // Bit 0x20 is all that tells `E` from `e`.
  if ((text.charCodeAt(at) | 0x20) === letterE) {
    const sign = text.charCodeAt(at + 1);
    const digits = sign === plus || sign === minus ? at + 2 : at + 1;
    const end = digitsEnd(text, digits);
    if (end === digits) return -1;
    at = end;
  }
  return at;
}

/** Whether a double made from this number token prints back the same real number. `-0` does not: it prints `0`. */
export function isExactDouble(token: string): boolean {
  const value = Number(token);
  if (token.length < shortestInexact && isNormal(value)) return true;
  if (!Number.isFinite(value)) return false;
  if (value === 0) return canonicalNumber(token) === "0";
  const printed = String(value);
  return printed === token || canonicalNumber(printed) === canonicalNumber(token);
}

/** Whether a double is neither zero nor infinite nor so small that it has lost digits. */
export function isNormal(value: number): boolean {
  const size = Math.abs(value);
  return size >= smallestNormal && size < Number.POSITIVE_INFINITY;
}

/**
 * One spelling per real number: sign, significant digits without outer zeros, `e`, exponent. `-0` keeps its sign.
 * Linear in the length of the token: exponents are added as digits, never as one large integer.
 */
export function canonicalNumber(token: string): string {
  const sign = token.charCodeAt(0) === minus ? "-" : "";
  const exponentAt = exponentStart(token);
  const mantissa = token.slice(sign.length, exponentAt);
  const pointAt = mantissa.indexOf(".");
  const fraction = pointAt < 0 ? "" : mantissa.slice(pointAt + 1);
  const digits = pointAt < 0 ? mantissa : mantissa.slice(0, pointAt) + fraction;
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === zero) end -= 1;
  if (end === 0) return `${sign}0`;
  let start = 0;
  while (digits.charCodeAt(start) === zero) start += 1;
  const shift = digits.length - end - fraction.length;
  return `${sign}${digits.slice(start, end)}e${addToExponent(token.slice(exponentAt + 1), shift)}`;
}

function exponentStart(token: string): number {
  const lower = token.indexOf("e");
  if (lower >= 0) return lower;
  const upper = token.indexOf("E");
  return upper >= 0 ? upper : token.length;
}

/** The sum of an exponent's text (may be empty) and a shift no larger than a text is long. */
function addToExponent(text: string, shift: number): string {
  const negative = text.startsWith("-");
  let start = negative || text.startsWith("+") ? 1 : 0;
  while (text.charCodeAt(start) === zero) start += 1;
  const digits = text.slice(start);
  if (digits.length <= exactDigits) return String((negative ? -Number(digits) : Number(digits)) + shift);
  // The magnitude is at least 1e15 and the shift is below 2^30, so the sign cannot change.
  return (negative ? "-" : "") + addToDigits(digits, negative ? -shift : shift);
}

function addToDigits(digits: string, amount: number): string {
  const unit = 10 ** exactDigits;
  const head = digits.slice(0, -exactDigits);
  const sum = Number(digits.slice(-exactDigits)) + amount;
  const carry = Math.floor(sum / unit);
  const tail = String(sum - carry * unit).padStart(exactDigits, "0");
  const all = (carry === 0 ? head : stepDigits(head, carry)) + tail;
  let start = 0;
  while (all.charCodeAt(start) === zero) start += 1;
  return all.slice(start);
}

/** Decimal digits plus or minus one. */
function stepDigits(digits: string, step: number): string {
  const [full, empty] = step > 0 ? ["9", "0"] : ["0", "9"];
  let at = digits.length - 1;
  while (at >= 0 && digits[at] === full) at -= 1;
  const rolled = empty.repeat(digits.length - 1 - at);
  if (at < 0) return `1${rolled}`;
  return digits.slice(0, at) + String(Number(digits[at]) + step) + rolled;
}

function digitsEnd(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code >= zero && code <= nine; code = text.charCodeAt(at)) at += 1;
  return at;
}
