import { formatBytes } from '@petstore/service/text.ts';
import { queueQuotaNotice } from '../notices/queue-notice.ts';
import { lockProject, type ProjectRow, updateProject } from '../store/projects.ts';
import type { Db, Trx } from '../store/schema.ts';
import { boundOfProject } from './bounds.ts';
import type { Full } from './room-for-bytes.ts';

// Owners are told once that a project holds 90 % of what it may, and once that there is no room; and again after it held
// less than 80 % in between. `stored_told` is what they were told last, in percent.

const TOLD_AT = 0.9;
const FORGOTTEN_BELOW = 0.8;

/** Tells the owners of a locked project where it has come near to its bound. `before`: the project as it was. */
export async function tellNear(
  trx: Trx,
  at: number,
  before: ProjectRow,
  project: ProjectRow,
): Promise<void> {
  const { id, stored_bytes: used } = project;
  const { most } = await boundOfProject(trx, 'bytes', project);
  const isFar = (bytes: number) => most === null || bytes < most * FORGOTTEN_BELOW;
  const told = isFar(before.stored_bytes) ? 0 : project.stored_told;
  const percent = most === null || used < most * TOLD_AT ? 0 : used < most ? 90 : 100;
  if (most !== null && percent > told) {
    const rest =
      percent === 100
        ? 'Nothing more can be deployed.'
        : 'When it is full, nothing more can be deployed.';
    await queueQuotaNotice(trx, at, project, {
      ...{ quota: 'bytes', percent, used, most },
      message: `${project.name} holds ${formatBytes(used)} of the ${formatBytes(most)} that it may. ${rest} Remove the files of old deploys, or ask whoever runs the dashboard for more.`,
    });
  }
  const stored_told = Math.max(percent, isFar(used) ? 0 : told);
  if (stored_told !== project.stored_told) await updateProject(trx, id, { stored_told });
}

/** Tells the owners of a project, once, that a deploy had no room, with the message of the refusal. */
export async function tellFull(
  db: Db,
  at: number,
  projectId: string,
  { quota, used, most }: Full,
  message: string,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const project = await lockProject(trx, projectId);
    if (!project || project.stored_told === 100) return;
    await queueQuotaNotice(trx, at, project, {
      ...{ quota, percent: 100, used, most },
      message: `A deploy of ${project.name} was refused. ${message}`,
    });
    await updateProject(trx, projectId, { stored_told: 100 });
  });
}
