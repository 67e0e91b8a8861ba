import { readAddress } from '@petstore/site/guides/site-address.ts';
import type { ImportedRedirect, Note } from './imported-site.ts';

const MAX_REDIRECTS = 1_000;

/** `/old/:slug*` and, at the end, `/old/:slug`: the rest of a path. */
const NAMED_REST = /\/:[A-Za-z_]\w*\*?$/;

/** The end of a path as docs.yaml writes it: `/old/*`. */
const withStar = (path: string) => path.replace(NAMED_REST, '/*');

/**
 * The redirects that a docs.yaml can have; the others become notes. A redirect to another one gets its last target,
 * and none begins where a page is, or leads to where nothing is. `paths`: those of the site.
 */
export function fitRedirects(
  redirects: readonly ImportedRedirect[],
  paths: ReadonlySet<string>,
  notes: Note[],
): ImportedRedirect[] {
  const read = new Map<string, ImportedRedirect>();
  const leaveOut = ({ place, from, to }: ImportedRedirect, reason: string) =>
    notes.push({
      ...place,
      message: `The redirect \`${from}\` → \`${to}\` is left out: ${reason}`,
    });
  for (const redirect of redirects) {
    const from = plainPath(withStar(redirect.from));
    const to = pageOf(withStar(redirect.to), paths);
    const reason = startProblem(from, to, paths);
    if (from === undefined || reason !== undefined) leaveOut(redirect, reason ?? '');
    else if (!read.has(from)) read.set(from, { ...redirect, from, to });
    else
      leaveOut(redirect, `there is one from the same path, on line ${read.get(from)?.place.line}.`);
  }
  const fitting = [...read.values()].flatMap((redirect) => {
    const to = lastTarget(redirect, read, paths);
    const reason = to === undefined ? 'the redirects lead in a circle.' : targetProblem(to, paths);
    if (to !== undefined && reason === undefined) return [{ ...redirect, to }];
    leaveOut(redirect, reason ?? '');
    return [];
  });
  fitting.push(...innerRedirects(fitting, paths));
  const [over] = fitting.slice(MAX_REDIRECTS);
  if (over) {
    const message = `A site can have ${MAX_REDIRECTS.toLocaleString('en')} redirects: this one and the ${fitting.length - MAX_REDIRECTS - 1} behind it are left out.`;
    notes.push({ ...over.place, message });
  }
  return fitting.slice(0, MAX_REDIRECTS);
}

/**
 * What leads from a prefix to a redirect below its target leads on at once: `/a/x` to `/c` where `/a/*` leads to `/b/*`
 * and `/b/x` to `/c`.
 */
function innerRedirects(
  redirects: readonly ImportedRedirect[],
  paths: ReadonlySet<string>,
): ImportedRedirect[] {
  const starts = new Set(redirects.map(({ from }) => from));
  return redirects.flatMap((prefix) => {
    if (!prefix.to.endsWith('/*')) return [];
    const folder = prefix.to.slice(0, -1);
    return redirects.flatMap((inner) => {
      if (!inner.from.startsWith(folder) || inner.from.endsWith('/*')) return [];
      const from = prefix.from.slice(0, -1) + inner.from.slice(folder.length);
      if (starts.has(from) || paths.has(from)) return [];
      starts.add(from);
      return [{ ...inner, from }];
    });
  });
}

/** The address of a folder's page, which other products have at `/guides/index` as well. */
function pageOf(to: string, paths: ReadonlySet<string>): string {
  const [, folder = '', rest = ''] = /^(\/[^?#]*?)\/(?:index|README)((?:[?#].*)?)$/s.exec(to) ?? [];
  return folder !== '' && paths.has(folder) ? folder + rest : to;
}

/** A path of the site without a slash at its end; undefined for anything else. */
function plainPath(text: string): string | undefined {
  const isPrefix = text.endsWith('/*');
  const path = readAddress(isPrefix ? text.slice(0, -1) : text, [])?.path;
  if (path === undefined || /[?#]/.test(text)) return undefined;
  return isPrefix ? `${path.replace(/\/$/, '')}/*` : path;
}

/** Why a redirect cannot begin at a path; undefined where it can. */
function startProblem(from: string | undefined, to: string, paths: ReadonlySet<string>) {
  if (from === undefined) return 'it begins at no path of the site.';
  if (hasPattern(from) || hasPattern(to))
    return 'a pattern is `*` at the end, for the rest of the path. Write a redirect for each path.';
  if (to.endsWith('/*') && !from.endsWith('/*'))
    return '`*` in its target has nothing to stand for.';
  if (/^\/\.well-known(?:\/|$)/.test(from)) return '`/.well-known/` belongs to the service.';
  if (paths.has(from)) return 'a page is there, which is shown.';
  return undefined;
}

const hasPattern = (path: string) => /\*|\/:[A-Za-z_]/.test(path.replace(/\/\*$/, ''));

/** Where a path leads in the end; undefined where that is a circle. */
function lastTarget(
  redirect: ImportedRedirect,
  redirects: ReadonlyMap<string, ImportedRedirect>,
  paths: ReadonlySet<string>,
): string | undefined {
  let { to } = redirect;
  const seen = new Set([redirect]);
  for (;;) {
    const next = redirectOf(to, redirects, paths);
    if (!next) return to;
    if (seen.has(next)) return undefined;
    seen.add(next);
    to = follow(to, next);
  }
}

/** The redirect of an address at which nothing is: of its path, or of the longest prefix of that. */
function redirectOf(
  to: string,
  redirects: ReadonlyMap<string, ImportedRedirect>,
  paths: ReadonlySet<string>,
): ImportedRedirect | undefined {
  const path = plainPath(to.replace(/[?#].*$/s, ''));
  if (path === undefined || paths.has(path)) return undefined;
  const exact = redirects.get(path);
  if (exact) return exact;
  for (let at = path.length; at > 0; ) {
    at = path.lastIndexOf('/', at - 1);
    const prefix = redirects.get(`${path.slice(0, at)}/*`);
    if (prefix && path !== `${path.slice(0, at)}/*`) return prefix;
  }
  return undefined;
}

/** Where `to` is led by its redirect. */
function follow(to: string, next: ImportedRedirect): string {
  if (!next.from.endsWith('/*') || !next.to.endsWith('/*')) return next.to;
  return next.to.slice(0, -1) + to.slice(next.from.length - 1);
}

/** Why nothing can lead to an address; undefined where it can. */
function targetProblem(to: string, paths: ReadonlySet<string>): string | undefined {
  const isPrefix = to.endsWith('/*');
  const address = readAddress(isPrefix ? to.slice(0, -1) : to, ['https:']);
  if (!address) return 'its target is neither a path of the site nor an address with https://.';
  const { path } = address;
  if (path === undefined) return undefined;
  if (!isPrefix) return paths.has(path) ? undefined : 'the site does not have its target.';
  const folder = path.endsWith('/') ? path : `${path}/`;
  const hasAny = [...paths].some((one) => one.startsWith(folder));
  return hasAny ? undefined : `the site has nothing below \`${folder}\`.`;
}
