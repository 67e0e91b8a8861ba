import { randomId } from '../accounts/secrets.ts';
import { listMembers } from '../store/members.ts';
import { insertNotices, type NewNotice } from '../store/notices.ts';
import { lockProject } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { listWebhooks } from '../store/webhooks.ts';

/** The events that people and webhooks are notified of. A retired type is never reused. */
export const NOTICE_TYPES = [
  'domain.verified',
  'domain.certificate_issued',
  'domain.certificate_failed',
  'domain.certificate_expiring',
  'domain.moved_away',
  'domain.claimed_elsewhere',
  'domain.lost',
  'domain.removed',
] as const;

export type NoticeType = (typeof NOTICE_TYPES)[number];

/** An event to notify of. */
export interface Notice {
  readonly type: NoticeType;
  readonly projectId: string;
  readonly hostname: string;
  /** For people; it ends with what to do, where there is something to do. */
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The body of a webhook; e-mails are written from it, too. */
export interface Payload {
  readonly type: NoticeType;
  /** When it happened, as RFC 3339 text in UTC. */
  readonly timestamp: string;
  readonly data: {
    /** The project's slug. */
    readonly project: string;
    readonly hostname: string;
    readonly message: string;
    readonly [detail: string]: unknown;
  };
}

/**
 * Queues a notice for the project's webhooks, and as an e-mail for its owners. It is stored in the transaction of
 * the event itself, which has locked the project: there is neither one without the other. Of a deleted project
 * nobody is notified.
 *
 * A process without a mail server leaves e-mails alone; those that no process takes within a day are dropped.
 */
export async function queueNotice(trx: Trx, at: number, notice: Notice): Promise<void> {
  const { type, projectId, hostname, message, details } = notice;
  // Locked, so that no receiver is removed meanwhile.
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

/** A new `webhook-id`, which stays the same at each retry. */
export function newMessageId(): string {
  return `msg_${randomId(24)}`;
}
