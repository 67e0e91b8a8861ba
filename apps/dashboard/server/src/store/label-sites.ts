import { versionOfLabel } from '../domains/wildcard.ts';
import type { CanonicalHost } from '../edge/host.ts';
import type { Site } from '../edge/sites/site-source.ts';
import type { Db } from './schema.ts';
import { emptySite, versionSite } from './version-site.ts';

interface LabelContext {
  /** The host, with nothing to show yet. */
  readonly site: Site;
  readonly versions: Site['versions'];
  /** The site that shows all versions. */
  readonly whole: Pick<Site, 'origin' | 'artifactHash'>;
}

/**
 * What a host below a wildcard shows: the version that its label names, or else the branch whose preview has that label.
 * All others are empty. Previews are not indexed, and are as hard to guess as at the platform's addresses.
 */
export async function findLabelSite(
  db: Db,
  host: CanonicalHost,
  { site, versions, whole }: LabelContext,
): Promise<Site> {
  const label = host.slice(0, host.indexOf('.'));
  const version = versions && versionOfLabel(versions.all, label);
  if (version) return versionSite(site, version.name, versions, whole);
  const artifactHash = await findBranchArtifact(db, site.projectId, label);
  if (!artifactHash) return emptySite(site);
  return { ...site, artifactHash, isPreview: true };
}

async function findBranchArtifact(db: Db, projectId: string, label: string) {
  // Every label of a branch has a dash.
  if (!label.includes('-')) return undefined;
  const row = await db
    .selectFrom('branch_previews')
    .innerJoin('deploys', 'deploys.id', 'branch_previews.deploy_id')
    .select('deploys.artifact_hash')
    .where('branch_previews.project_id', '=', projectId)
    .where('branch_previews.label', '=', label)
    .executeTakeFirst();
  return row?.artifact_hash ?? undefined;
}
