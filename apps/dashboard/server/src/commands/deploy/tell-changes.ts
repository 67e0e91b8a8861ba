import { join } from 'node:path';
import type { Change } from '@petstore/changes/change.ts';
import { changesText } from '@petstore/changes/formats/text.ts';
import { listOf } from '@petstore/changes/report.ts';
import type { Deploy, DeployChanges } from '../../deploys/deploy.ts';
import type { DashboardClient } from './dashboard-client.ts';

/** How many breaking changes are told: the deploy's page has all of them. */
const MAX_TOLD = 50;

/**
 * The breaking changes of a deploy for a terminal, with the files of the upload by their paths from the current folder;
 * an empty text where it has none. `folder`: that of the upload's files.
 */
export async function breakingChanges(
  client: DashboardClient,
  slug: string,
  deploy: Deploy,
  folder: string,
): Promise<string> {
  // A dashboard of an earlier version has none.
  const breaking = deploy.changes?.breaking ?? 0;
  if (breaking === 0) return '';
  const { changes } = await client.readChanges(slug, deploy.id);
  const told = changes.filter(({ verdict }) => verdict === 'breaking').slice(0, MAX_TOLD);
  const text = changesText(listOf(told.map((change) => inFolder(change, folder))));
  const more = breaking - told.length;
  return `${text.trimEnd()}${more > 0 ? `, and ${more} more` : ''}`;
}

const inFolder = (change: DeployChanges['changes'][number], folder: string): Change => ({
  ...(change as Change),
  new: change.new && { ...change.new, file: join(folder, change.new.file) },
});
