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

/** At most `limit` entries older than the entry `before`, newest first; of one project, or of all. */
export function readAudit(
  db: Db,
  options: { projectId?: string; before: number | undefined; limit: number },
): Promise<AuditRow[]> {
  let query = auditRows(db).orderBy('audit_log.id', 'desc').limit(options.limit);
  const { projectId, before } = options;
  if (projectId !== undefined) query = query.where('audit_log.project_id', '=', projectId);
  if (before !== undefined) query = query.where('audit_log.id', '<', before);
  return query.execute();
}

/** All entries, as a query. */
export function auditRows(db: Db) {
  return db
    .selectFrom('audit_log')
    .leftJoin('projects', 'projects.id', 'audit_log.project_id')
    .selectAll('audit_log')
    .select('projects.slug as slug');
}
