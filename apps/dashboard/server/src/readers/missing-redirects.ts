import { setImmediate as turn } from 'node:timers/promises';
import { nearest } from '@petstore/service/nearest.ts';
import { stringify } from 'yaml';
import type { Manifest } from '../deploys/artifact.ts';
import { pageMatcher } from '../domains/rehearsal/suggest-redirects.ts';
import type { CanonicalHost } from '../edge/host.ts';
import { encodePath } from '../edge/http/edge-request.ts';
import { hasPage } from '../edge/readers/reading.ts';
import { fileAt, redirectOf } from '../edge/sites/manifest-paths.ts';
import type { Site, SiteSource } from '../edge/sites/site-source.ts';
import { locate } from '../edge/versions/locate.ts';
import type { ReaderRow } from './reader-report.ts';

type Redirect = NonNullable<ReaderRow['redirect']>;

/** For so many paths, the most frequent ones, a page is found whose name differs by letters: each takes up to 30 ms. */
const MAX_NEAR = 50;

const SOLVED: Redirect = { state: 'solved', to: null, line: null, version: null };
const UNKNOWN: Redirect = { state: 'missing', to: null, line: null, version: null };

/**
 * For each missing path of a site: whether what is live now has something there, or else the page that it most probably is
 * now, and the line of `docs.yaml` that leads there.
 */
export async function withRedirects(
  source: SiteSource,
  site: Site | undefined,
  rows: readonly ReaderRow[],
): Promise<ReaderRow[]> {
  const proposals = new Map<string, Promise<Propose | undefined>>();
  const proposalsOf = ({ artifactHash }: Site) => {
    const known = proposals.get(artifactHash) ?? proposer(source, artifactHash);
    proposals.set(artifactHash, known);
    return known;
  };
  const redirectOfRow = async ({ name }: ReaderRow, mayBeNear: boolean): Promise<Redirect> => {
    if (!site) return UNKNOWN;
    const at = placeOf(site, name);
    if (!at) return SOLVED;
    const propose = await proposalsOf(at.site);
    const redirect = propose?.(at.path, mayBeNear) ?? UNKNOWN;
    return { ...redirect, version: at.site.base?.slice(1) ?? null };
  };
  const found: ReaderRow[] = [];
  for (const row of rows) {
    // Strangers choose how many paths there are, and how long: others are answered in between.
    await turn();
    const redirect =
      row.name === '' ? undefined : await redirectOfRow(row, found.length < MAX_NEAR);
    found.push({ ...row, ...(redirect && { redirect }) });
  }
  return found;
}

/** Where a missing path leads. `mayBeNear`: also to a page whose path differs by a few letters. */
type Propose = (path: string, mayBeNear: boolean) => Redirect;

/** The version of a site that a path belongs to, and the path in it; undefined where it redirects. */
function placeOf(site: Site, path: string): { site: Site; path: string } | undefined {
  if (!site.versions || site.only) return { site, path };
  const target = { host: '' as CanonicalHost, path, rawPath: encodePath(path), query: '' };
  const located = locate(site, site.versions, target);
  return 'site' in located ? located : undefined;
}

async function proposer(source: SiteSource, artifactHash: string): Promise<Propose | undefined> {
  const manifest = await source.readManifest(artifactHash);
  if (!manifest) return undefined;
  const paths = Object.keys(manifest.files).filter((path) => hasPage(manifest, path));
  const match = pageMatcher(paths.map((path) => ({ path: encodePath(path), title: '' })));
  return (path, mayBeNear) => {
    if (isThere(manifest, path)) return SOLVED;
    const from = encodePath(path);
    const to = match({ path: from, title: '' }) ?? (mayBeNear ? nearPage(path, paths) : undefined);
    return { ...UNKNOWN, to: to ?? null, line: to === undefined ? null : redirectLine(from, to) };
  };
}

const isThere = (manifest: Manifest, path: string): boolean =>
  fileAt(manifest, path) !== undefined || redirectOf(manifest, path) !== undefined;

/** A page whose path is the same but for a few letters. */
function nearPage(path: string, paths: readonly string[]): string | undefined {
  const near = nearest(path.replace(/\/+$/, ''), paths);
  return near === undefined || near === '/' ? undefined : encodePath(near);
}

/** One entry of `redirects`, in quotation marks where YAML needs them. */
const redirectLine = (from: string, to: string): string =>
  stringify({ [from]: to }, { lineWidth: 0 }).trimEnd();
