/** Members whose values are 64-bit integers. A quotation mark inside a text is escaped, so none is found in texts. */
const MEMBER = /"(?:id|categoryId|petId|orderId)"\s*:\s*(-?\d{16,19})(?=\s*[,}\]])/g;

const PATH = /(?<=\/)-?\d{16,19}(?=$|[/?])/g;

/** From here on a double loses digits. */
const EXACT = 2n ** 53n;

/** How many are kept of one body. */
const MAX = 20;

/** The integers from 2^53 on in the members of JSON text, each once; undefined for none. */
export function longIntegersIn(json: string): string[] | undefined {
  return beyond([...json.matchAll(MEMBER)].map(([, digits = '0']) => digits));
}

/** The same in a path. */
export function longIntegersInPath(target: string): string[] {
  return beyond(target.match(PATH) ?? []) ?? [];
}

function beyond(found: readonly string[]): string[] | undefined {
  const long = found.filter((digits) => {
    const value = BigInt(digits);
    return value >= EXACT || value <= -EXACT;
  });
  return long.length === 0 ? undefined : [...new Set(long)].slice(0, MAX);
}
