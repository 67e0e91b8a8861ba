import type { Node } from 'yaml';
import type { ConfigReader } from './config-reader.ts';
import { readAddress } from './site-address.ts';
import { addressAt, MAX_ADDRESS, type NamedPath } from './site-links.ts';

const MAX_REDIRECTS = 1_000;

interface Redirect {
  /** Percent-decoded. */
  readonly from: string;
  /** As it goes into `Location`. */
  readonly to: string;
  /** The path to which it leads, percent-decoded; undefined where that is on another site. */
  readonly toPath: string | undefined;
  readonly key: Node;
}

/** `redirects`: a mapping from paths to paths of the site or other addresses. */
export function redirectsOf(
  reader: ConfigReader,
  node: Node | undefined,
  sitePaths: NamedPath[],
): Readonly<Record<string, string>> {
  if (!node) return {};
  const redirects = new Map<string, Redirect>();
  const entries = reader.entries(node, '`redirects`');
  if (entries.length > MAX_REDIRECTS) {
    const first = entries[MAX_REDIRECTS]?.key;
    reader.problem(`\`redirects\` has more than ${MAX_REDIRECTS.toLocaleString('en')}.`, first);
  }
  for (const { key, value } of entries.slice(0, MAX_REDIRECTS)) {
    const from = startOf(reader, key);
    const to = addressAt(reader, value, {
      name: 'The target of a redirect',
      wanted: 'a path such as `/guides/start`, or an address that begins with `https://`',
      schemes: ['https:'],
    });
    if (from === undefined || !to) continue;
    if (redirects.has(from)) reader.problem(`\`${from}\` is redirected twice.`, key);
    sitePaths.push({ path: from, line: reader.line(key), isFree: true });
    if (to.path !== undefined)
      sitePaths.push({ path: to.path, line: reader.line(value), isFree: false });
    redirects.set(from, { from, to: to.href, toPath: to.path, key });
  }
  findLoops(reader, redirects);
  return Object.fromEntries([...redirects.values()].map(({ from, to }) => [from, to]));
}

/** The path where a redirect begins; undefined, with a problem, where none can. */
function startOf(reader: ConfigReader, key: Node): string | undefined {
  const text = reader.text(key, 'The path of a redirect', MAX_ADDRESS);
  if (text === '') return undefined;
  const path = /[?#]/.test(text) ? undefined : readAddress(text, [])?.path;
  if (path === undefined) {
    reader.problem(
      'A redirect must begin at a path of the site such as `/old/page`, without `?` and `#`.',
      key,
    );
    return undefined;
  }
  if (!/^\/\.well-known(?:\/|$)/.test(path)) return path;
  reader.problem('`/.well-known/` belongs to the service: nothing can redirect from there.', key);
  return undefined;
}

/** Reports each loop once, at the redirect in it that comes first. */
function findLoops(reader: ConfigReader, redirects: ReadonlyMap<string, Redirect>): void {
  const checked = new Set<string>();
  for (const first of redirects.values()) {
    const trail = new Set<Redirect>();
    let at: Redirect | undefined = first;
    while (at && !trail.has(at) && !checked.has(at.from)) {
      trail.add(at);
      at = at.toPath === undefined ? undefined : redirects.get(at.toPath);
    }
    for (const { from } of trail) checked.add(from);
    if (!at || !trail.has(at)) continue;
    const loop = [...trail].slice([...trail].indexOf(at)).map(({ from }) => `\`${from}\``);
    reader.problem(`The redirects lead in a circle: ${shortened(loop)} → ${loop[0]}.`, at.key);
  }
}

const MAX_SHOWN = 5;

function shortened(loop: readonly string[]): string {
  const shown = loop.length > MAX_SHOWN ? [...loop.slice(0, MAX_SHOWN), '…'] : loop;
  return shown.join(' → ');
}
