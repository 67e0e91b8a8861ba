import { ApiError } from '@petstore/http/errors.ts';
import { formatBytes } from '@petstore/service/text.ts';
import { ConcurrentChangeError } from '../store/errors.ts';
import type { ProjectRow } from '../store/projects.ts';
import { isQuotaSet, listOwningAccounts, ownedByPlan, waitingBytes } from '../store/quotas.ts';
import { countRemovable, listRemovable, removableBytes } from '../store/removable-deploys.ts';
import type { Db, Trx } from '../store/schema.ts';
import { lockUser } from '../store/users.ts';
import { boundOfAccount, boundOfProject } from './bounds.ts';
import { askForMore, sum } from './require-room.ts';

// A deploy is looked at twice. When it arrives, its upload has to find room beside what the project holds and what waits
// to be built; when it is built, its site has to find room in place of what is pruned with it. An upload lives for
// minutes: so what waits does not make another deploy fail whose site has room.

/** The accounts that own a project and have a bound, locked. */
export type Payers = ReadonlySet<string>;

/**
 * Locks the accounts that own a project and whose projects may hold so many bytes and no more, so that deploys of two of
 * their projects do not pass together. Call it before the project is locked.
 */
export async function lockPayers(trx: Trx, projectId: string): Promise<Payers> {
  const payers = new Set<string>();
  if (!(await isQuotaSet(trx, 'account-bytes'))) return payers;
  for (const { id } of await listOwningAccounts(trx, projectId)) {
    const { most } = await boundOfAccount(trx, 'account-bytes', id);
    if (most !== null && (await lockUser(trx, id))) payers.add(id);
  }
  return payers;
}

/** What has no room where: the beginning and the end of a message. */
export interface Full {
  /** How much is used, and allowed, and wanted. */
  readonly holds: string;
  /** Whom to ask for more. */
  readonly ask: string;
  readonly quota: 'bytes' | 'account-bytes';
  /** Whose projects hold too much together; undefined: the project does. */
  readonly accountId?: string;
  readonly used: number;
  readonly most: number;
}

/** The same for people, with what would free room in the project as it is now. */
export async function fullInWords(
  db: Db,
  projectId: string,
  { holds, ask }: Full,
): Promise<string> {
  return `${holds} ${await howToMakeRoom(db, projectId)} ${ask}`;
}

/** A project has no room for an upload. */
export class FullError extends ApiError {
  readonly full: Full;

  constructor(message: string, full: Full) {
    super('conflict', message);
    this.full = full;
  }
}

/** Throws FullError where an upload for a locked project has no room beside all that there is. */
export async function requireRoomForUpload(
  trx: Trx,
  project: ProjectRow,
  payers: Payers,
  bytes: number,
): Promise<void> {
  const adds = `, and this upload has ${formatBytes(bytes)} more`;
  const { most } = await boundOfProject(trx, 'bytes', project);
  if (most !== null) {
    const waiting = await waitingBytes(trx, { projectId: project.id });
    if (project.stored_bytes + waiting + bytes > most)
      throw await refusal(trx, project, projectIsFull(project, most, waiting, adds));
  }
  for (const account of await boundedOwners(trx, project, payers)) {
    const waiting = await waitingBytes(trx, { ownerId: account.id });
    if (account.used + waiting + bytes > account.most)
      throw await refusal(trx, project, accountIsFull(account, waiting, adds));
  }
}

const refusal = async (trx: Trx, { id }: ProjectRow, full: Full) =>
  new FullError(await fullInWords(trx, id, full), full);

/**
 * Why a built site has no room, where a locked project holds more than before and more than it may; undefined where it
 * has. `before`: the project as it was. What is stored and pruned with the site must be counted already.
 */
export async function whyNoRoomForSite(
  trx: Trx,
  before: ProjectRow,
  project: ProjectRow,
  payers: Payers,
): Promise<Full | undefined> {
  const grown = project.stored_bytes - before.stored_bytes;
  if (grown <= 0) return undefined;
  const adds = `, and this site has ${formatBytes(grown)} more`;
  const { most } = await boundOfProject(trx, 'bytes', project);
  if (most !== null && project.stored_bytes > most) return projectIsFull(before, most, 0, adds);
  for (const account of await boundedOwners(trx, project, payers)) {
    if (account.used > account.most)
      return accountIsFull({ ...account, used: account.used - grown }, 0, adds);
  }
  return undefined;
}

interface BoundedOwner {
  readonly id: string;
  readonly email: string;
  readonly most: number;
  /** Bytes that the projects of the account hold. */
  readonly used: number;
}

/** The owners of a project with a bound. Throws ConcurrentChangeError where one of them is no payer. */
export async function boundedOwners(
  trx: Trx,
  { id: projectId }: ProjectRow,
  payers: Payers,
): Promise<BoundedOwner[]> {
  if (!(await isQuotaSet(trx, 'account-bytes'))) return [];
  const bounded: BoundedOwner[] = [];
  for (const { id, email } of await listOwningAccounts(trx, projectId)) {
    const { most } = await boundOfAccount(trx, 'account-bytes', id);
    if (most === null) continue;
    // Became an owner, or got a bound, since the accounts were locked.
    if (!payers.has(id)) throw new ConcurrentChangeError();
    const used = sum(await ownedByPlan(trx, id), ({ bytes }) => bytes);
    bounded.push({ id, email, most, used });
  }
  return bounded;
}

const waitsToo = (waiting: number) =>
  waiting === 0 ? '' : ` (and ${formatBytes(waiting)} in uploads that wait to be built)`;

function projectIsFull(
  { slug, stored_bytes }: ProjectRow,
  most: number,
  waiting: number,
  adds: string,
): Full {
  return {
    holds: `This project holds ${formatBytes(stored_bytes)} of the ${formatBytes(most)} that it may${waitsToo(waiting)}${adds}.`,
    ask: askForMore('bytes', `--project ${slug}`),
    ...{ quota: 'bytes', used: stored_bytes + waiting, most },
  };
}

function accountIsFull(
  { id, email, most, used }: BoundedOwner,
  waiting: number,
  adds: string,
): Full {
  return {
    holds: `The projects of ${email} hold ${formatBytes(used)} of the ${formatBytes(most)} that they may together${waitsToo(waiting)}${adds}.`,
    ask: askForMore('account-bytes', `--account ${email}`),
    ...{ quota: 'account-bytes', accountId: id, used: used + waiting, most },
  };
}

/** What would free room in a project, in a sentence. */
async function howToMakeRoom(db: Db, id: string): Promise<string> {
  const [oldest] = await listRemovable(db, id, 1);
  if (!oldest) return 'Readers are shown all of its deploys, so none can be removed.';
  const bytes = formatBytes(await removableBytes(db, id));
  const many = await countRemovable(db, id);
  const those =
    many === 1
      ? `#${oldest.number} may go, and has`
      : `${many} of them may go, from #${oldest.number} on, and have`;
  return `Remove the files of old deploys on the project's page Plan: ${those} ${bytes} that no other has.`;
}
