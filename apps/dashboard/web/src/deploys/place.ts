const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/** How many segments of a pointer name the thing, by its first segment. The rest leads to a place within it. */
const NAME_LENGTHS: Record<string, number> = {
  paths: 2,
  webhooks: 2,
  components: 3,
  definitions: 2,
};

interface Place {
  /** `GET /bikes/{bikeId}`, `components › schemas › Bike`, `guides/start.md`. */
  readonly what: string;
  /** The place within it: `parameters › 0 › in`; empty for the whole. */
  readonly within: string;
}

/** A problem's place for people. `path`: a JSON pointer (RFC 6901) into the document, or a file. */
export function placeInWords(path: string): Place {
  if (path === '') return { what: 'The whole document', within: '' };
  if (!path.startsWith('/')) return { what: path, within: '' };
  // RFC 6901, section 4: ~1 before ~0.
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  const [first = '', second, third = ''] = segments;
  const join = (from: number, to?: number) => segments.slice(from, to).join(' › ');
  if (first === 'paths' && second !== undefined) {
    return METHODS.has(third)
      ? { what: `${third.toUpperCase()} ${second}`, within: join(3) }
      : { what: second, within: join(2) };
  }
  const length = NAME_LENGTHS[first] ?? segments.length;
  return { what: join(0, length), within: join(length) };
}
