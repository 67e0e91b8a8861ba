import { count } from '@petstore/service/text.ts';
import type { BuildProblem, Finding } from '../build-log.ts';
import { longestPrefix, withRest } from '../site/redirect-prefixes.ts';
import { hrefOf } from '../site/site-files.ts';
import { type ConfigRedirect, startText } from './site-redirects.ts';

// What is wrong with redirects once the site's files are known. A file comes before a redirect, one of a single path
// before a prefix, and a longer prefix before a shorter one.

interface Redirects {
  /** The name of the configuration. */
  readonly file: string;
  readonly redirects: readonly ConfigRedirect[];
}

/**
 * Redirects that lead to another one, and prefixes that lead to where nothing is. `paths` are those of all files of the
 * site.
 */
export function redirectProblems(
  { file, redirects }: Redirects,
  paths: ReadonlySet<string>,
): BuildProblem[] {
  const site = siteOf(redirects, paths);
  return redirects.flatMap((redirect) => {
    const message = chainProblem(redirect, site) ?? targetProblem(redirect, paths);
    return message === undefined ? [] : [{ message, path: file, line: redirect.line }];
  });
}

/** Prefixes that stand above pages, which stay where they are. */
export function coveredPages(
  { file, redirects }: Redirects,
  /** The paths of pages. */
  pages: readonly string[],
): Finding[] {
  return redirects.flatMap((redirect): Finding[] => {
    const covered = redirect.isPrefix ? pages.filter((path) => isBelow(path, redirect.from)) : [];
    if (covered.length === 0) return [];
    const message = `\`${startText(redirect)}\` has ${count(covered.length, 'page')} of the site below it, such as \`${covered[0]}\`: pages are shown, and only what is missing is redirected.`;
    return [{ rule: 'redirect', message, file, path: '', line: redirect.line }];
  });
}

/** Whether a path is the folder of a prefix, or in it. */
const isBelow = (path: string, prefix: string) => path.startsWith(prefix) || `${path}/` === prefix;

interface RedirectedSite {
  readonly paths: ReadonlySet<string>;
  readonly exact: ReadonlyMap<string, ConfigRedirect>;
  readonly prefixes: Readonly<Record<string, ConfigRedirect>>;
}

function siteOf(redirects: readonly ConfigRedirect[], paths: ReadonlySet<string>): RedirectedSite {
  const exact = redirects.filter(({ isPrefix }) => !isPrefix);
  const prefixes = redirects.filter(({ isPrefix }) => isPrefix);
  return {
    paths,
    exact: new Map(exact.map((one) => [one.from, one])),
    prefixes: Object.fromEntries(prefixes.map((one) => [one.from, one])),
  };
}

/** Where a redirect leads that leads to another one: its last target, or that it has none. */
function chainProblem(first: ConfigRedirect, site: RedirectedSite): string | undefined {
  const seen = new Set([first]);
  let at = placeOf(first);
  let next = nextOf(at, site);
  if (!next) return innerChain(first, site);
  while (next && !seen.has(next)) {
    seen.add(next);
    at = follow(at, next);
    next = nextOf(at, site);
  }
  const start = `\`${startText(first)}\``;
  // What is missing below a folder with pages may well lead on from there.
  if (!next && first.keepsRest && hasBelow(site.paths, first.toPath))
    return innerChain(first, site);
  if (!next)
    return `${start} leads to another redirect: write its last target, \`${at.to}${at.keepsRest ? '*' : ''}\`.`;
  // A circle of single paths has been reported already, and where others lead into one it is named there.
  const circle = [...seen].map((one) => `\`${startText(one)}\``);
  return [...seen].some(({ isPrefix }) => isPrefix)
    ? `The redirects form a loop, wherever there is no page: ${circle.join(' → ')} → \`${startText(next)}\`.`
    : undefined;
}

/** Where a redirect leads: to one path or address, or to all below it. */
type Place = Pick<ConfigRedirect, 'to' | 'toPath' | 'keepsRest'>;

const placeOf = ({ to, toPath, keepsRest }: ConfigRedirect): Place => ({ to, toPath, keepsRest });

/** The redirect that a place, where no file is, has itself. */
function nextOf({ toPath, keepsRest }: Place, site: RedirectedSite): ConfigRedirect | undefined {
  if (toPath === undefined || (!keepsRest && site.paths.has(toPath))) return undefined;
  return (
    (keepsRest ? undefined : site.exact.get(toPath)) ?? longestPrefix(site.prefixes, toPath)?.[1]
  );
}

/** Where a place leads by its own redirect. */
function follow({ toPath = '', keepsRest }: Place, next: ConfigRedirect): Place {
  if (!next.keepsRest) return placeOf(next);
  const rest = toPath.slice(next.from.length);
  if (keepsRest) {
    const path = next.toPath === undefined ? undefined : next.toPath + rest;
    return { to: next.to + hrefOf(rest), toPath: path, keepsRest };
  }
  const path = next.toPath === undefined ? undefined : withoutSlash(next.toPath + rest);
  return { to: withRest(next.to, rest), toPath: path, keepsRest };
}

const withoutSlash = (path: string) => path.replace(/(.)\/$/, '$1');

/** A redirect of a single path below the target of a prefix. */
function innerChain(redirect: ConfigRedirect, { exact }: RedirectedSite): string | undefined {
  const { from, toPath, keepsRest } = redirect;
  if (toPath === undefined || !keepsRest) return undefined;
  const inner = exact
    .values()
    .find((one) => one.from.startsWith(toPath) && !exact.has(from + one.from.slice(toPath.length)));
  if (!inner) return undefined;
  const start = from + inner.from.slice(toPath.length);
  return `\`${startText(redirect)}\` leads from \`${start}\` to \`${inner.from}\`, which redirects again: add \`${start}: ${inner.to}\`.`;
}

/** A folder of the site to which a prefix leads and that has nothing. */
function targetProblem(
  { toPath, keepsRest }: ConfigRedirect,
  paths: ReadonlySet<string>,
): string | undefined {
  if (toPath === undefined || !keepsRest) return undefined;
  return hasBelow(paths, toPath) ? undefined : `The site has nothing below \`${toPath}\`.`;
}

const hasBelow = (paths: ReadonlySet<string>, folder = '') =>
  paths.values().some((path) => path.startsWith(folder));
