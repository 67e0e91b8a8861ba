import type { AuditAction } from '../audit/action.ts';
import { type AuditRow, auditRows } from './audit.ts';
import type { Db } from './schema.ts';

/** How far back activity goes. */
export const ACTIVITY_DAYS = 30;
const ACTIVITY_MS = ACTIVITY_DAYS * 24 * 3_600_000;

/** What a team wants to know of each other. The rest of the log is for whoever looks for something. */
const SHOWN = [
  'project.create',
  'project.hand_over',
  'deploy.create',
  'deploy.fail',
  'deploy.activate',
  'version.default',
  'version.retire',
  'domain.add',
  'domain.verify',
  'domain.primary',
  'domain.remove',
  'member.role',
  'member.remove',
  'member.leave',
  'invitation.create',
  'invitation.accept',
  'repository.connect',
] as const satisfies readonly AuditAction[];

/**
 * What happened in the projects whose log a user may read, or in all where `isEverywhere`: at most `limit` entries before
 * the entry `before`, the newest first.
 */
export async function readActivity(
  db: Db,
  by: { userId: string; isEverywhere: boolean; only: string | undefined },
  { now, before, limit }: { now: number; before: number | undefined; limit: number },
): Promise<AuditRow[]> {
  // Entries have about the order of their time, so that older ones need not be looked at.
  const first = await db
    .selectFrom('audit_log')
    .select('id')
    .where('at', '>=', now - ACTIVITY_MS)
    .orderBy('at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (!first) return [];
  let query = auditRows(db)
    .where('audit_log.id', '>=', first.id)
    .where('audit_log.action', 'in', SHOWN)
    .where('projects.id', 'is not', null)
    .orderBy('audit_log.id', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('audit_log.id', '<', before);
  if (by.only !== undefined) query = query.where('audit_log.project_id', '=', by.only);
  if (!by.isEverywhere) {
    const readable = db
      .selectFrom('role_grants')
      .select('project_id')
      .where('user_id', '=', by.userId)
      .where('role', 'in', ['owner', 'editor']);
    query = query.where('audit_log.project_id', 'in', readable);
  }
  return query.execute();
}
