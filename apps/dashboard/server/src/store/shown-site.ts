import type { Analytics } from '@petstore/site/site/readers/own-analytics.ts';
import { expressionBuilder } from 'kysely';
import type { Addresses } from '../addresses.ts';
import type { Site, SiteVersion } from '../edge/sites/site-source.ts';
import { listVersionNames } from './domains.ts';
import type { ProjectRow } from './projects.ts';
import type { Database, Db } from './schema.ts';
import { listSiteVersions } from './site-versions.ts';

/** What else decides what a site shows. */
export interface ShownContext {
  readonly addresses: Addresses;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The columns of a project that switch parts of its sites on and off. */
export const SWITCHES = [
  'projects.mcp',
  'projects.request_proxy',
  'projects.count_readers',
  'projects.analytics',
  'projects.private',
] as const;

export function switchesOf(
  row: Pick<ProjectRow, 'mcp' | 'request_proxy' | 'count_readers' | 'analytics'>,
): Pick<Site, 'mcp' | 'requestProxy' | 'countsReaders' | 'analytics'> {
  return {
    mcp: row.mcp === 1,
    requestProxy: row.request_proxy === 1,
    countsReaders: row.count_readers === 1,
    ...(row.analytics !== null && { analytics: JSON.parse(row.analytics) as Analytics }),
  };
}

/** What decides which artifact a project's site shows. */
export interface ShownRow {
  readonly artifact_hash: string | null;
  readonly default_version: string | null;
  readonly has_versions: unknown;
}

/** Whether a project has versions, as a column: most have none, and then nothing more is asked. */
export function hasVersions() {
  const { exists, selectFrom } = expressionBuilder<Database, 'projects'>();
  return exists(
    selectFrom('site_versions')
      .select('site_versions.name')
      .whereRef('site_versions.project_id', '=', 'projects.id'),
  );
}

/** The artifact of a project's site, and its versions; undefined where it shows nothing. */
export async function shownBy(
  db: Db,
  projectId: string,
  { artifact_hash, default_version, has_versions }: ShownRow,
  { addresses, now }: ShownContext,
): Promise<Pick<Site, 'artifactHash' | 'versions'> | undefined> {
  const rows = has_versions ? await listSiteVersions(db, projectId) : [];
  const hasNames = rows.some(({ primary_domain_id }) => primary_domain_id !== null);
  const names = hasNames ? await listVersionNames(db, projectId, now) : [];
  const all = rows.flatMap(({ name, artifact_hash: hash, retired_at }): SiteVersion[] => {
    if (retired_at !== null) return [{ name, artifactHash: undefined }];
    if (hash === null) return [];
    const own = names.find(({ version }) => version === name);
    return [{ name, artifactHash: hash, ...(own && { origin: addresses.domain(own.hostname) }) }];
  });
  const defaultVersion = all.find(({ name }) => name === default_version);
  const artifactHash = defaultVersion?.artifactHash ?? artifact_hash;
  if (!artifactHash) return undefined;
  if (all.length === 0) return { artifactHash };
  return { artifactHash, versions: { defaultVersion: defaultVersion?.name, all } };
}

/** The host name of a project's primary domain, if it is active, which means that its certificate is valid. */
export function activePrimary(now: number) {
  return expressionBuilder<Database, 'projects'>()
    .selectFrom('domains as primary_domain')
    .innerJoin('certificates as primary_certificate', (join) =>
      join.onRef('primary_certificate.domain_id', '=', 'primary_domain.id'),
    )
    .whereRef('primary_domain.id', '=', 'projects.primary_domain_id')
    .where('primary_domain.verified_at', 'is not', null)
    .where('primary_domain.removed_at', 'is', null)
    .where('primary_certificate.not_after', '>', now)
    .select('primary_domain.hostname');
}
