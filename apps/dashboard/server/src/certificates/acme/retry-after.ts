/**
 * What a Retry-After header asks for, in milliseconds and within bounds: an authority is free to write
 * anything there. undefined where it says nothing that can be read.
 */
export function readRetryAfter(
  header: string | undefined,
  now: number,
  [least, most]: readonly [number, number],
): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, least), most);
}
