/** JSON with every digit, and a line feed at its end. */
export function toJson(value: unknown, indent: number | undefined = 2): string {
  return `${JSON.stringify(value, written, indent)}\n`;
}

/** Whether a value has more than that many letters as JSON. It visits no more of it than necessary. */
export function isLongJson(value: unknown, most: number): boolean {
  let left = most;
  const fits = (part: unknown): boolean => {
    left -= typeof part === 'string' ? part.length : 1;
    if (left < 0) return false;
    if (typeof part !== 'object' || part === null) return true;
    if (Array.isArray(part)) return part.every(fits);
    return Object.entries(part).every(([name, member]) => {
      left -= name.length;
      return fits(member);
    });
  };
  return !fits(value) || toJson(value).length > most;
}

function written(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
}

/** Integers that may not fit a JS number, or what looks like one in a string. */
const MAYBE_LARGE = /[:,[]\s*-?\d{16}/;

/** JSON.parse, but integers beyond 2^53 become bigints. */
export function parseJson(text: string): unknown {
  return MAYBE_LARGE.test(text) ? parseExactJson(text) : JSON.parse(text);
}

/** The same, for a text that is known to have such numbers: it takes a look at every value. */
export const parseExactJson = (text: string): unknown => JSON.parse(text, exact);

function exact(_name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' && source !== undefined && /^-?\d{16,}$/.test(source)
    ? exactInteger(BigInt(source))
    : value;
}

/** As a number where that keeps every digit. */
export function exactInteger(value: bigint): number | bigint {
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER
    ? Number(value)
    : value;
}
