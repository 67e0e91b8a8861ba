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
  const proposals = new Map<string, Promise<((path: string) => Redirect) | undefined>>();
  const proposalsOf = ({ artifactHash }: Site) => {
    const known = proposals.get(artifactHash) ?? proposer(source, artifactHash);
    proposals.set(artifactHash, known);
    return known;
  };
  return Promise.all(
    rows.map(async (row): Promise<ReaderRow> => {
      if (row.name === '') return row;
      if (!site) return { ...row, redirect: UNKNOWN };
      const at = placeOf(site, row.name);
      if (!at) return { ...row, redirect: SOLVED };
      const propose = await proposalsOf(at.site);
      const redirect = propose?.(at.path) ?? UNKNOWN;
      return { ...row, redirect: { ...redirect, version: at.site.base?.slice(1) ?? null } };
    }),
  );
}

/** The version of a site that a path belongs to, and the path in it; undefined where it redirects. */
function placeOf(site: Site, path: string): { site: Site; path: string } | undefined {
  if (!site.versions || site.only) return { site, path };
  const target = { host: '' as CanonicalHost, path, rawPath: encodePath(path), query: '' };
  const located = locate(site, site.versions, target);
  return 'site' in located ? located : undefined;
}

async function proposer(source: SiteSource, artifactHash: string) {
  const manifest = await source.readManifest(artifactHash);
  if (!manifest) return undefined;
  const paths = Object.keys(manifest.files).filter((path) => hasPage(manifest, path));
  const match = pageMatcher(paths.map((path) => ({ path: encodePath(path), title: '' })));
  return (path: string): Redirect => {
    if (isThere(manifest, path)) return SOLVED;
    const from = encodePath(path);
    const to = match({ path: from, title: '' }) ?? nearPage(path, paths);
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
