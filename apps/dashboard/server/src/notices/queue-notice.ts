import { randomId } from '../accounts/secrets.ts';
import type { QuotaName } from '../quotas/quota.ts';
import { insertNotices, type NewNotice } from '../store/notices.ts';
import { lockProject, type ProjectRow } from '../store/projects.ts';
import { listOwners } from '../store/role-grants.ts';
import type { Trx } from '../store/schema.ts';
import { listWebhooks } from '../store/webhooks.ts';
import {
  type DeployEvent,
  type DomainEventType,
  type EventType,
  eventsOf,
  type QuotaEventType,
} from './event-types.ts';

/** The body of a webhook. */
interface Payload<Type extends EventType> {
  readonly type: Type;
  /** When it happened, as RFC 3339 text in UTC. */
  readonly timestamp: string;
  readonly data: {
    /** The project's slug. */
    readonly project: string;
    /** For people; it ends with what to do, where there is something to do. */
    readonly message: string;
    readonly [detail: string]: unknown;
  };
}

/** The body of a notice about a domain. */
export type DomainPayload = Payload<DomainEventType> & {
  readonly data: { readonly hostname: string };
};

/** The bodies of notices of which e-mails are written, too. */
export type MailedPayload =
  | DomainPayload
  | (Payload<QuotaEventType> & { readonly data: Pick<QuotaNotice, 'quota' | 'percent'> });

/** An event of a domain to notify of. */
export interface DomainNotice {
  readonly type: DomainEventType;
  readonly projectId: string;
  readonly hostname: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An event of a deploy to notify of. */
export interface DeployNotice {
  readonly type: DeployEvent;
  readonly project: ProjectRow;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Queues a notice about a domain for the project's webhooks, and as an e-mail for its owners. It is stored in the
 * transaction of the event itself, which has locked the project: there is neither one without the other. Of a deleted
 * project nobody is notified.
 *
 * A process without a mail server leaves e-mails alone; those that no process takes within a day are dropped.
 */
export async function queueDomainNotice(
  trx: Trx,
  at: number,
  { type, projectId, hostname, message, details }: DomainNotice,
): Promise<void> {
  // Locked, so that no receiver is removed meanwhile.
  const project = await lockProject(trx, projectId);
  if (!project) return;
  const data = { ...details, project: project.slug, hostname, message };
  const notice = noticeOf(at, project, type, data);
  await insertNotices(trx, [
    ...(await toWebhooks(trx, project, type, notice)),
    ...(await toOwners(trx, project, notice)),
  ]);
}

/** That a quota is nearly used up, or is: `percent` of it, 90 or 100. */
interface QuotaNotice {
  readonly quota: QuotaName;
  readonly percent: number;
  readonly used: number;
  readonly most: number;
  readonly message: string;
}

/**
 * Queues a notice that a locked project has nearly used up what it may, or has: for its webhooks, and as an e-mail for its
 * owners.
 */
export async function queueQuotaNotice(
  trx: Trx,
  at: number,
  project: ProjectRow,
  reached: QuotaNotice,
): Promise<void> {
  const data = { project: project.slug, ...reached };
  const notice = noticeOf(at, project, 'quota.reached', data);
  await insertNotices(trx, [
    ...(await toWebhooks(trx, project, 'quota.reached', notice)),
    ...(await toOwners(trx, project, notice)),
  ]);
}

/** The same of what all projects of an account may use, as an e-mail for it. `project`: the one that was deployed. */
export async function queueAccountQuotaNotice(
  trx: Trx,
  at: number,
  project: ProjectRow,
  email: string,
  reached: QuotaNotice,
): Promise<void> {
  const data = { project: project.slug, ...reached };
  const notice = noticeOf(at, project, 'quota.reached', data);
  await insertNotices(trx, [notice({ webhook_id: null, email })]);
}

/**
 * Queues a notice about a deploy for the project's webhooks, in the transaction of the event itself, which has locked
 * the project.
 */
export async function queueDeployNotice(
  trx: Trx,
  at: number,
  { type, project, message, details }: DeployNotice,
): Promise<void> {
  const data = { project: project.slug, message, ...details };
  const notice = noticeOf(at, project, type, data);
  await insertNotices(trx, await toWebhooks(trx, project, type, notice));
}

type NoticeTo = (receiver: Pick<NewNotice, 'webhook_id' | 'email'>) => NewNotice;

/** Makes the notices of one event, one for each receiver. */
function noticeOf<Type extends EventType>(
  at: number,
  { id }: ProjectRow,
  type: Type,
  data: Payload<Type>['data'],
): NoticeTo {
  const payload: Payload<Type> = { type, timestamp: new Date(at).toISOString(), data };
  const body = JSON.stringify(payload);
  return (receiver) => ({
    id: newMessageId(),
    type,
    project_id: id,
    payload: body,
    created_at: at,
    ...receiver,
  });
}

async function toOwners(trx: Trx, { id }: ProjectRow, notice: NoticeTo): Promise<NewNotice[]> {
  const owners = await listOwners(trx, id);
  return owners
    .filter(({ disabled_at }) => disabled_at === null)
    .map(({ email }) => notice({ webhook_id: null, email }));
}

async function toWebhooks(
  trx: Trx,
  { id }: ProjectRow,
  type: EventType,
  notice: NoticeTo,
): Promise<NewNotice[]> {
  const webhooks = await listWebhooks(trx, id);
  return webhooks
    .filter((webhook) => webhook.disabled_at === null && eventsOf(webhook).includes(type))
    .map((webhook) => notice({ webhook_id: webhook.id, email: null }));
}

/** A new `webhook-id`, which stays the same at each retry. */
export function newMessageId(): string {
  return `msg_${randomId(24)}`;
}
