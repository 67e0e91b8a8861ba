import { type BuildLog, boundedLog } from '@petstore/site/build-log.ts';
import { findLiveManifest } from '../../store/artifacts.ts';
import type { DeployRow } from '../../store/deploys.ts';
import type { Db } from '../../store/schema.ts';
import { listSiteVersions } from '../../store/site-versions.ts';
import type { Manifest } from '../artifact.ts';
import { pagesOf } from '../site-changes.ts';

/**
 * Warns of pages of the site without a version that lie below the prefix of a version: readers find the version's there.
 * Whichever of the two is deployed last is told.
 */
export async function warnOfHiddenPages(
  db: Db,
  { project_id, version }: DeployRow,
  manifest: Manifest,
  log: BuildLog,
): Promise<void> {
  const versions =
    version === null
      ? await listSiteVersions(db, project_id)
      : [{ name: version, retired_at: null }];
  if (versions.length === 0) return;
  const site =
    version === null ? manifest : (await findLiveManifest(db, project_id, null))?.manifest;
  const names = new Set(versions.map(({ name }) => name));
  const bounded = boundedLog(log);
  for (const path of site ? pagesOf(site) : []) {
    const [, name = ''] = path.split('/', 2);
    if (!names.has(name)) continue;
    bounded.log({
      rule: 'hidden-page',
      message: `The page \`${path}\` of the site without a version is hidden: addresses below \`/${name}\` belong to the version ${name}. Move the page, or name the version otherwise.`,
      ...{ file: '', path: '', line: null },
    });
  }
  bounded.end();
}
