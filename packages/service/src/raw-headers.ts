/**
 * How often a header stands in a request. Node keeps one of several and drops the rest in silence;
 * only the raw list, names and values in turn, shows them. `name` is in lower case.
 */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const candidate = rawHeaders[at];
    if (candidate?.length === name.length && candidate.toLowerCase() === name) count++;
  }
  return count;
}
