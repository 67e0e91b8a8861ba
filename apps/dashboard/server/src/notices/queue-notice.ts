import type { Transaction } from 'kysely';
import { randomId } from '../accounts/secrets.ts';
import { listMembers } from '../store/members.ts';
import { insertNotices, type NewNotice } from '../store/notices.ts';
import { lockProject } from '../store/projects.ts';
import type { Database } from '../store/schema.ts';
import { listWebhooks } from '../store/webhooks.ts';
import type { Notice, Payload } from './notice.ts';

/**
 * Has a notice told to the project's webhooks, and by e-mail to its owners: written in the transaction of
 * what it tells, which holds the project, so that there is neither one without the other. Nobody is told of
 * a project that is gone.
 *
 * Whether there is a mail server is for the process that delivers to know: one that has none leaves e-mails
 * alone, and those that nobody took up within a day are dropped.
 */
export async function queueNotice(
  trx: Transaction<Database>,
  at: number,
  notice: Notice,
): Promise<void> {
  const { type, projectId, hostname, message, details } = notice;
  // Its receivers stay while they are written to.
  const project = await lockProject(trx, projectId);
  if (!project) return;
  const timestamp = new Date(at).toISOString();
  const data = { ...details, project: project.slug, hostname, message };
  const payload = JSON.stringify({ type, timestamp, data } satisfies Payload);
  const noticeTo = (receiver: Pick<NewNotice, 'webhook_id' | 'email'>): NewNotice => ({
    id: newMessageId(),
    type,
    project_id: projectId,
    payload,
    created_at: at,
    ...receiver,
  });
  const webhooks = await listWebhooks(trx, projectId);
  const members = await listMembers(trx, projectId);
  await insertNotices(trx, [
    ...webhooks
      .filter(({ disabled_at }) => disabled_at === null)
      .map(({ id }) => noticeTo({ webhook_id: id, email: null })),
    ...members
      .filter(({ role }) => role === 'owner')
      .map(({ email }) => noticeTo({ webhook_id: null, email })),
  ]);
}

/** The `webhook-id` of a message: the same however often it is sent. */
export function newMessageId(): string {
  return `msg_${randomId(24)}`;
}
