import type { Addresses } from '../addresses.ts';
import type { CanonicalHost } from '../edge/host.ts';
import type { Site } from '../edge/sites/site-source.ts';
import { findDefaultDeploy } from './deploys.ts';
import { findProjectById, type ProjectRow } from './projects.ts';
import type { Private } from './schema/site-access.ts';
import type { Db } from './schema.ts';
import { findSiteAccess, listSiteKeys } from './site-access.ts';

/** The artifact whose colours all hosts of a project have on their sign-in page, previews too; undefined: there is none. */
export async function findLook(db: Db, project: ProjectRow): Promise<string | undefined> {
  return (await findDefaultDeploy(db, project))?.artifact_hash ?? undefined;
}

interface PrivateContext {
  readonly host: CanonicalHost;
  /** What of the project's sites is private. */
  readonly setting: Private;
  readonly addresses: Addresses;
}

/** A site with what its visitors are asked for, where it is private. Of a public site nothing more is read. */
export async function closedIfPrivate(
  db: Db,
  site: Site,
  { host, setting, addresses }: PrivateContext,
): Promise<Site> {
  const isPrivate = setting === 'everything' || (setting === 'previews' && site.isPreview);
  if (!isPrivate) return site;
  const { projectId } = site;
  const project = await findProjectById(db, projectId);
  const row = await findSiteAccess(db, projectId);
  const keys = await listSiteKeys(db, projectId);
  return {
    ...site,
    access: {
      origin: site.secureOrigin ?? addresses.domainWithoutTls(host),
      name: project?.name ?? '',
      look: project && (await findLook(db, project)),
      hasPassword: (row?.password_hash ?? null) !== null,
      keys: keys.map(({ id, kid, algorithm, public_key: publicKey }) => ({
        ...{ id, kid, algorithm, publicKey },
      })),
      dashboard: addresses.dashboard,
    },
  };
}
