import { formatBytes } from '@petstore/service/text.ts';
import { queueAccountQuotaNotice, queueQuotaNotice } from '../notices/queue-notice.ts';
import { lockProject, type ProjectRow, updateProject } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { lockUser, setStoredTold } from '../store/users.ts';
import { boundOfProject } from './bounds.ts';
import { boundedOwners, type Full, type Payers } from './room-for-bytes.ts';

// Owners are told once that a project holds 90 % of what it may, and once that there is no room; and again after it held
// less than 80 % in between. An account is told the same of all its projects. `stored_told` of the project or the account
// is what was told last, in percent.

const TOLD_AT = 0.9;
const FORGOTTEN_BELOW = 0.8;

/** Tells the owners of a locked project, and its payers, what has come near to its bound. `before`: the project as it was. */
export async function notifyNearLimit(
  trx: Trx,
  at: number,
  before: ProjectRow,
  project: ProjectRow,
  payers: Payers,
): Promise<void> {
  const { id, name, stored_bytes: used } = project;
  const { most } = await boundOfProject(trx, 'bytes', project);
  const { stored_told: told } = project;
  const standing = standingOf(most, { before: before.stored_bytes, used, told });
  if (standing.isNews)
    await queueQuotaNotice(trx, at, project, {
      ...{ quota: 'bytes', percent: standing.percent, used, most: standing.most },
      message: `${name} holds ${inWords(used, standing, 'it')} Remove the files of old deploys, or ask whoever runs the dashboard for more.`,
    });
  if (standing.told !== told) await updateProject(trx, id, { stored_told: standing.told });
  await notifyAccounts(trx, at, project, payers, used - before.stored_bytes);
}

/** `grown`: how much more the project holds, in bytes. */
async function notifyAccounts(
  trx: Trx,
  at: number,
  project: ProjectRow,
  payers: Payers,
  grown: number,
): Promise<void> {
  for (const { id, email, most, used } of await boundedOwners(trx, project, payers)) {
    const account = await lockUser(trx, id);
    if (!account || account.disabled_at !== null) continue;
    const { stored_told: told } = account;
    const standing = standingOf(most, { before: used - grown, used, told });
    if (standing.isNews)
      await queueAccountQuotaNotice(trx, at, project, email, {
        ...{ quota: 'account-bytes', percent: standing.percent, used, most },
        message: `The projects that you own hold ${inWords(used, standing, 'they')} Remove the files of old deploys, delete a project, or ask whoever runs the dashboard for more.`,
      });
    if (standing.told !== told) await setStoredTold(trx, id, standing.told);
  }
}

interface Standing {
  readonly most: number;
  /** Of what there may be: 0, 90 or 100. */
  readonly percent: number;
  /** Whether it is told now. */
  readonly isNews: boolean;
  /** What was told from here on. */
  readonly told: number;
}

function standingOf(
  most: number | null,
  { before, used, told }: { before: number; used: number; told: number },
): Standing {
  if (most === null) return { most: 0, percent: 0, isNews: false, told: 0 };
  const isFar = (bytes: number) => bytes < most * FORGOTTEN_BELOW;
  const known = isFar(before) ? 0 : told;
  const percent = used < most * TOLD_AT ? 0 : used < most ? 90 : 100;
  return {
    most,
    percent,
    isNews: percent > known,
    told: Math.max(percent, isFar(used) ? 0 : known),
  };
}

function inWords(used: number, { most, percent }: Standing, who: 'it' | 'they'): string {
  const rest =
    percent === 100
      ? 'Nothing more can be deployed.'
      : 'When it is full, nothing more can be deployed.';
  return `${formatBytes(used)} of the ${formatBytes(most)} that ${who} may. ${rest}`;
}

/**
 * Tells whose quota is full, once, that a deploy had no room, with the message of the refusal. Locks that account, and
 * then the project.
 */
export async function notifyFull(
  trx: Trx,
  at: number,
  projectId: string,
  { quota, used, most, accountId }: Full,
  message: string,
): Promise<void> {
  const account = accountId === undefined ? undefined : await lockUser(trx, accountId);
  // Nobody reads the mail of an account that is gone or disabled.
  if (accountId !== undefined && account?.disabled_at !== null) return;
  const project = await lockProject(trx, projectId);
  if (!project || (account ?? project).stored_told === 100) return;
  const told = `A deploy of ${project.name} was refused. ${message}`;
  const reached = { quota, percent: 100, used, most, message: told };
  if (account) {
    await queueAccountQuotaNotice(trx, at, project, account.email, reached);
    await setStoredTold(trx, account.id, 100);
  } else {
    await queueQuotaNotice(trx, at, project, reached);
    await updateProject(trx, projectId, { stored_told: 100 });
  }
}
