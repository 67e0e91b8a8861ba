import type { Addresses } from '../addresses.ts';
import { versionOfLabel } from '../domains/wildcard.ts';
import type { CanonicalHost } from '../edge/host.ts';
import type { Site } from '../edge/sites/site-source.ts';
import { notLive, TOLD } from './not-live.ts';
import type { Db } from './schema.ts';
import { emptySite, versionSite } from './version-site.ts';

interface LabelContext {
  readonly slug: string;
  readonly addresses: Addresses;
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
  { slug, addresses, site, versions, whole }: LabelContext,
): Promise<Site> {
  const label = host.slice(0, host.indexOf('.'));
  const version = versions && versionOfLabel(versions.all, label);
  if (version) return versionSite(site, version.name, versions, whole);
  const deploy = await findBranchDeploy(db, site.projectId, label);
  if (!deploy?.artifact_hash) return emptySite(site);
  return {
    ...{ ...site, artifactHash: deploy.artifact_hash, isPreview: true },
    notLive: notLive(deploy, { slug, addresses, live: { ...whole, versions } }),
  };
}

async function findBranchDeploy(db: Db, projectId: string, label: string) {
  // Every label of a branch has a dash.
  if (!label.includes('-')) return undefined;
  return db
    .selectFrom('branch_previews')
    .innerJoin('deploys', 'deploys.id', 'branch_previews.deploy_id')
    .select('deploys.artifact_hash')
    .select(TOLD)
    .where('branch_previews.project_id', '=', projectId)
    .where('branch_previews.label', '=', label)
    .executeTakeFirst();
}
