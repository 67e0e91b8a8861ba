import type { AuditAction } from '../audit/action.ts';
import type { Actor } from '../audit/actor.ts';
import type { Db, Row, Trx } from './schema.ts';

/** An entry with the slug that its project has now. */
export type AuditRow = Row<'audit_log'> & { slug: string | null };

export interface AuditEvent {
  readonly action: AuditAction;
  readonly projectId?: string | null;
  /** The object of the action, for people. */
  readonly target: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Records a change, in the transaction that makes it. */
export async function writeAudit(
  trx: Trx,
  at: number,
  actor: Actor,
  event: AuditEvent,
): Promise<void> {
  await trx
    .insertInto('audit_log')
    .values({
      at,
      actor_id: actor.userId,
      actor: actor.name,
      via: actor.via,
      ip: actor.ip,
      token_id: actor.token?.id ?? null,
      token_name: actor.token?.name ?? null,
      action: event.action,
      project_id: event.projectId ?? null,
      target: event.target,
      details: JSON.stringify(event.details ?? {}),
    })
    .execute();
}

/** Conditions, all of which hold for an entry. */
export interface AuditFilter {
  readonly projectId?: string | undefined;
  readonly actor?: string | undefined;
  /** `deploy.activate`, or `deploy` for all that begin so. */
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  /** Instants: from the first on, and before the second. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

/** At most `limit` entries older than the entry `before`, newest first. */
export async function readAudit(
  db: Db,
  filter: AuditFilter,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<AuditRow[]> {
  let query = (await filtered(db, filter)).orderBy('audit_log.id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('audit_log.id', '<', before);
  return query.execute();
}

/** At most `limit` entries younger than the entry `after`, oldest first. */
export async function readAuditInOrder(
  db: Db,
  filter: AuditFilter,
  { after, limit }: { after: number; limit: number },
): Promise<AuditRow[]> {
  const query = (await filtered(db, filter)).where('audit_log.id', '>', after);
  return query.orderBy('audit_log.id').limit(limit).execute();
}

async function filtered(db: Db, filter: AuditFilter) {
  const { projectId, actor, action, target, from, until } = filter;
  let query = auditRows(db);
  if (projectId !== undefined) query = query.where('audit_log.project_id', '=', projectId);
  if (actor !== undefined) query = query.where('audit_log.actor', '=', actor);
  if (target !== undefined) query = query.where('audit_log.target', '=', target);
  if (action !== undefined) {
    query = action.includes('.')
      ? query.where('audit_log.action', '=', action)
      : query.where('audit_log.action', 'like', `${action}.%`);
  }
  if (from !== undefined) {
    query = query.where('audit_log.at', '>=', from);
    query = query.where('audit_log.id', '>=', await edgeId(db, 'first', from));
  }
  if (until !== undefined) {
    query = query.where('audit_log.at', '<', until);
    query = query.where('audit_log.id', '<=', await edgeId(db, 'last', until));
  }
  return query;
}

/** How far the clocks of processes are apart at most, and how long a change takes. */
const SLACK_MS = 600_000;

/**
 * The id from which on, or up to which, the entries of a time are: ids have about the order of times, so that the rest of
 * the log need not be looked at.
 */
async function edgeId(db: Db, edge: 'first' | 'last', at: number): Promise<number> {
  const query = db.selectFrom('audit_log').select('id').limit(1);
  const row =
    edge === 'first'
      ? await query
          .where('at', '>=', at - SLACK_MS)
          .orderBy('at')
          .orderBy('id')
          .executeTakeFirst()
      : await query
          .where('at', '<=', at + SLACK_MS)
          .orderBy('at', 'desc')
          .orderBy('id', 'desc')
          .executeTakeFirst();
  return row?.id ?? (edge === 'first' ? Number.MAX_SAFE_INTEGER : 0);
}

/** All entries, as a query. */
export function auditRows(db: Db) {
  return db
    .selectFrom('audit_log')
    .leftJoin('projects', 'projects.id', 'audit_log.project_id')
    .selectAll('audit_log')
    .select('projects.slug as slug');
}
