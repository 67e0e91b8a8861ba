import { isMap, isScalar, isSeq, type Node } from 'yaml';
import type { BuiltSite, RedirectTarget } from '../site/site-files.ts';
import type { ConfigReader } from './config-reader.ts';
import { readAddress } from './site-address.ts';
import { addressAt, MAX_ADDRESS, type NamedPath } from './site-links.ts';

const MAX_REDIRECTS = 1_000;

/** A redirect as it is configured. */
export interface ConfigRedirect {
  /** Percent-decoded. Of a prefix, what stands in front of its `*`: `/old/`. */
  readonly from: string;
  readonly isPrefix: boolean;
  /** As it goes into `Location`. Where the rest of the path is kept, what stands in front of its `*`. */
  readonly to: string;
  /** The path to which it leads, percent-decoded; undefined where that is on another site. */
  readonly toPath: string | undefined;
  /** Whether the rest of the path comes behind `to`. */
  readonly keepsRest: boolean;
  /** undefined for the usual one. */
  readonly status: 301 | 302 | undefined;
  readonly line: number;
}

/** What a redirect is written as: `/old/*`. */
export const startText = ({ from, isPrefix }: ConfigRedirect) => (isPrefix ? `${from}*` : from);

/** The redirects of a site, of those of its configuration. */
export function builtRedirects(
  redirects: readonly ConfigRedirect[],
): Pick<BuiltSite, 'redirects' | 'redirectPrefixes'> {
  const targets = (all: readonly ConfigRedirect[]) =>
    Object.fromEntries(all.map((one) => [one.from, targetOf(one)]));
  return {
    redirects: targets(redirects.filter(({ isPrefix }) => !isPrefix)),
    redirectPrefixes: targets(redirects.filter(({ isPrefix }) => isPrefix)),
  };
}

function targetOf({ to, status, keepsRest }: ConfigRedirect): RedirectTarget {
  if (status === undefined && !keepsRest) return to;
  return { to, ...(status && { status }), ...(keepsRest && { keepsRest }) };
}

/** What is written of a redirect. */
interface Written {
  readonly from: Node;
  readonly to: Node;
  readonly status: ConfigRedirect['status'];
}

/** `redirects`: a mapping from paths to paths of the site or other addresses, or a list as Mintlify has it. */
export function redirectsOf(
  reader: ConfigReader,
  node: Node | undefined,
  sitePaths: NamedPath[],
): readonly ConfigRedirect[] {
  if (!node) return [];
  const redirects = new Map<string, ConfigRedirect>();
  const nodes = new Map<ConfigRedirect, Node>();
  for (const { from: start, to: end, status } of writtenRedirects(reader, node)) {
    const from = startOf(reader, start);
    const to = endOf(reader, end, from?.isPrefix === true);
    if (from === undefined || !to) continue;
    const redirect = { ...from, ...to, status, line: reader.line(start) };
    const text = startText(redirect);
    if (redirects.has(text)) reader.problem(`\`${text}\` is redirected twice.`, start);
    if (!from.isPrefix) sitePaths.push({ path: from.from, line: reader.line(start), isFree: true });
    if (to.toPath !== undefined && !to.keepsRest)
      sitePaths.push({ path: to.toPath, line: reader.line(end), isFree: false });
    redirects.set(text, redirect);
    nodes.set(redirect, start);
  }
  findLoops(redirects, (message, redirect) => reader.problem(message, nodes.get(redirect)));
  return [...redirects.values()];
}

function writtenRedirects(reader: ConfigReader, node: Node): Written[] {
  const all = isSeq(node) ? reader.items(node, '`redirects`') : undefined;
  const entries = all ? [] : reader.entries(node, '`redirects`');
  const over = (all ?? entries.map(({ key }) => key))[MAX_REDIRECTS];
  if (over)
    reader.problem(`\`redirects\` has more than ${MAX_REDIRECTS.toLocaleString('en')}.`, over);
  if (all) return all.slice(0, MAX_REDIRECTS).flatMap((item) => listedRedirect(reader, item));
  return entries.slice(0, MAX_REDIRECTS).flatMap(({ key, value }) => {
    if (!isMap(value)) return [{ from: key, to: value, status: undefined }];
    const at = reader.members(value, ['to', 'status'], 'A redirect');
    const to = at.get('to');
    if (!to) reader.problem('A redirect needs a `to`.', value);
    return to ? [{ from: key, to, status: statusOf(reader, at.get('status')) }] : [];
  });
}

/** An entry of a list: `source` and `destination`, and `permanent: false` for a redirect that may change. */
function listedRedirect(reader: ConfigReader, item: Node): Written[] {
  const at = reader.members(item, ['source', 'destination', 'permanent'], 'A redirect of a list');
  const [from, to] = [at.get('source'), at.get('destination')];
  const permanent = at.get('permanent');
  if (!from || !to) {
    if (isMap(item)) reader.problem('A redirect needs a `source` and a `destination`.', item);
    return [];
  }
  const value = isScalar(permanent) ? permanent.value : true;
  if (typeof value !== 'boolean')
    reader.problem('`permanent` must be `true` or `false`.', permanent);
  return [{ from, to, status: value === false ? 302 : undefined }];
}

function statusOf(reader: ConfigReader, node: Node | undefined): ConfigRedirect['status'] {
  if (!node) return undefined;
  const value = isScalar(node) ? node.value : undefined;
  if (value === 301 || value === 302) return value;
  reader.problem(
    '`status` must be 301 or 302; without it, it is 308, which is for good as 301 is.',
    node,
  );
  return undefined;
}

/** The rest of a path, as Mintlify writes it. */
const NAMED_REST = /\/:[A-Za-z_]\w*\*$/;

/** A path's text without its `*`, which stands for the rest; `undefined` where it stands elsewhere. */
function withoutRest(text: string): { text: string; hasRest: boolean } | undefined {
  const plain = text.replace(NAMED_REST, '/*');
  const hasRest = plain.endsWith('/*');
  const rest = hasRest ? plain.slice(0, -1) : plain;
  return /\*|\/:[A-Za-z_]/.test(rest) ? undefined : { text: rest, hasRest };
}

const REST_PLACE =
  'In a redirect, `*` stands at the end, after a slash, for the rest of the path: `/old/*`. Other patterns are not supported.';

/** The path where a redirect begins; undefined, with a problem, where none can. */
function startOf(
  reader: ConfigReader,
  key: Node,
): Pick<ConfigRedirect, 'from' | 'isPrefix'> | undefined {
  const written = reader.text(key, 'The path of a redirect', MAX_ADDRESS);
  if (written === '') return undefined;
  const start = withoutRest(written);
  if (!start) {
    reader.problem(REST_PLACE, key);
    return undefined;
  }
  const { text, hasRest: isPrefix } = start;
  const path = /[?#]/.test(text) ? undefined : readAddress(text, [])?.path;
  if (path === undefined) {
    reader.problem(
      'A redirect must begin at a path of the site such as `/old/page`, without `?` and `#`.',
      key,
    );
    return undefined;
  }
  if (!/^\/\.well-known(?:\/|$)/.test(path))
    return { from: isPrefix ? folderPath(path) : path, isPrefix };
  reader.problem('`/.well-known/` belongs to the service: nothing can redirect from there.', key);
  return undefined;
}

const folderPath = (path: string) => (path.endsWith('/') ? path : `${path}/`);

/** Where a redirect leads; undefined, with a problem, where nothing can. */
function endOf(
  reader: ConfigReader,
  node: Node,
  isPrefix: boolean,
): Pick<ConfigRedirect, 'to' | 'toPath' | 'keepsRest'> | undefined {
  const written = isScalar(node) && typeof node.value === 'string' ? node.value : '';
  const hasStar = NAMED_REST.test(written) || written.includes('*');
  const end = hasStar ? withoutRest(written) : undefined;
  if (hasStar && (!end?.hasRest || /[?#]/.test(end.text))) {
    reader.problem(REST_PLACE, node);
    return undefined;
  }
  if (hasStar && !isPrefix) {
    reader.problem(
      'The target of a redirect has a `*` where its path has none: write it at the end of both, or of the path alone.',
      node,
    );
    return undefined;
  }
  const address = end ? readAddress(end.text, ['https:']) : undefined;
  const checked =
    address ??
    addressAt(reader, node, {
      name: 'The target of a redirect',
      wanted: 'a path such as `/guides/start`, or an address that begins with `https://`',
      schemes: ['https:'],
    });
  if (!checked) return undefined;
  const { href, path } = checked;
  if (!end) return { to: href, toPath: path, keepsRest: false };
  return { to: folderPath(href), toPath: path && folderPath(path), keepsRest: true };
}

/** Reports each loop of redirects of single paths once, at the redirect in it that comes first. */
function findLoops(
  redirects: ReadonlyMap<string, ConfigRedirect>,
  report: (message: string, redirect: ConfigRedirect) => void,
): void {
  const checked = new Set<ConfigRedirect>();
  for (const first of redirects.values()) {
    const trail = new Set<ConfigRedirect>();
    let at: ConfigRedirect | undefined = first.isPrefix ? undefined : first;
    while (at && !trail.has(at) && !checked.has(at)) {
      trail.add(at);
      at = at.toPath === undefined ? undefined : redirects.get(at.toPath);
    }
    for (const one of trail) checked.add(one);
    if (!at || !trail.has(at)) continue;
    const loop = [...trail].slice([...trail].indexOf(at)).map(({ from }) => `\`${from}\``);
    report(`The redirects form a loop: ${shortened(loop)} → ${loop[0]}.`, at);
  }
}

const MAX_SHOWN = 5;

function shortened(loop: readonly string[]): string {
  const shown = loop.length > MAX_SHOWN ? [...loop.slice(0, MAX_SHOWN), '…'] : loop;
  return shown.join(' → ');
}
