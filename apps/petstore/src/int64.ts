/** The bounds of a 64-bit signed integer, both of them valid ids. */
export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** No int64 has more digits than this. */
const MAX_DIGITS = 19;

const CANONICAL_DECIMAL = /^(?:0|-?[1-9][0-9]{0,18})$/;

/**
 * Reads an int64 written the one canonical way: decimal digits, `-` for a negative, no leading
 * zeros, no `+`, no `-0`. So every id has exactly one path. Anything else is `undefined`.
 */
export function parseInt64(text: string): bigint | undefined {
  return CANONICAL_DECIMAL.test(text) ? within(BigInt(text)) : undefined;
}

/**
 * Reads a JSON number literal (RFC 8259, section 6) whose value is an integer within int64, however
 * it is written: `5`, `5.0` and `50e-1` are all 5, as JSON Schema counts them. Anything else is
 * `undefined`. Linear in the literal's length whatever its exponent says.
 */
export function int64FromJsonNumber(literal: string): bigint | undefined {
  const canonical = parseInt64(literal);
  if (canonical !== undefined) return canonical;
  const negative = literal.startsWith('-');
  const exponentAt = literal.search(/[eE]/);
  const mantissa = literal.slice(negative ? 1 : 0, exponentAt < 0 ? undefined : exponentAt);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;

  // Not /0+$/: on a long literal a backtracking expression would be quadratic.
  let start = 0;
  while (digits[start] === '0') start++;
  if (start === digits.length) return 0n;
  let end = digits.length;
  while (digits[end - 1] === '0') end--;

  // The value is digits[start..end) times ten to this power.
  const written = exponentAt < 0 ? 0 : Number(literal.slice(exponentAt + 1));
  const power = written - fraction.length + (digits.length - end);
  if (power < 0 || end - start + power > MAX_DIGITS) return undefined;
  const magnitude = BigInt(digits.slice(start, end) + '0'.repeat(power));
  return within(negative ? -magnitude : magnitude);
}

function within(value: bigint): bigint | undefined {
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}
