import { sql } from 'kysely';
import type { Actor } from '../../audit/actor.ts';
import { writeAudit } from '../audit.ts';
import type { Db, Trx } from '../schema.ts';

/**
 * How long failed attempts of certificates wait after a restore, in milliseconds: failures since the backup are not
 * known, and authorities count those of an hour.
 */
const FAILURES_WAIT_MS = 3_600_000;

/** Why a notice that waited in the backup is not sent by itself. */
export const HELD_NOTICE =
  'It waited when a backup was made that was put back since, and may have been sent after the backup. It is sent again only when someone asks for it.';

/** What was changed so that nothing happens twice that hurts. */
export interface Settled {
  readonly sessionsEnded: number;
  readonly noticesHeld: number;
  readonly certificatesDelayed: number;
}

/**
 * Makes a database of the past one to go on with: its sessions and the links that were sent to people end, since those
 * that were ended or used after the backup would work again; notices that waited are held back, since they may have been sent; certificates that failed wait out the
 * hour in which authorities count failures. Writes the audit entry of the restore, about `target`.
 */
export async function settleRestored(
  db: Db,
  {
    now,
    actor,
    target,
    details,
  }: {
    readonly now: number;
    readonly actor: Actor;
    readonly target: string;
    readonly details: Readonly<Record<string, unknown>>;
  },
): Promise<Settled> {
  return db.transaction().execute(async (trx) => {
    const lastChange = await findLastChange(trx);
    const sessions = await trx.deleteFrom('sessions').executeTakeFirst();
    // Of readers, and what was sent once: it may have been used or taken back since.
    for (const table of ['site_sessions', 'pending_sign_ins', 'account_links'] as const)
      await trx.deleteFrom(table).execute();
    const notices = await trx
      .updateTable('notices')
      .set({ next_attempt_at: null, leased_until: null, last_error: HELD_NOTICE })
      .where('next_attempt_at', 'is not', null)
      .executeTakeFirst();
    const until = now + FAILURES_WAIT_MS;
    const issuances = await trx
      .updateTable('issuances')
      .set({ next_attempt_at: until })
      .where('failures', '>', 0)
      .where('next_attempt_at', '<', until)
      .executeTakeFirst();
    const platform = await trx
      .updateTable('platform_certificates')
      .set({ next_attempt_at: until })
      .where('failures', '>', 0)
      .where('next_attempt_at', '<', until)
      .executeTakeFirst();
    const settled = {
      sessionsEnded: Number(sessions.numDeletedRows),
      noticesHeld: Number(notices.numUpdatedRows),
      certificatesDelayed: Number(issuances.numUpdatedRows + platform.numUpdatedRows),
    };
    await endLeases(trx);
    await writeAudit(trx, now, actor, {
      action: 'installation.restore',
      target,
      details: { ...details, lastChange, ...settled },
    });
    return settled;
  });
}

/** The processes that had them are gone, or have another database. */
async function endLeases(db: Db): Promise<void> {
  for (const table of ['deploys', 'issuances', 'platform_certificates', 'domain_checks'] as const) {
    await sql`UPDATE ${sql.table(table)} SET leased_by = NULL, leased_until = NULL
      WHERE leased_by IS NOT NULL`.execute(db);
  }
}

/** When somebody last changed something, as an ISO instant. */
async function findLastChange(trx: Trx): Promise<string | null> {
  const { at } = await trx
    .selectFrom('audit_log')
    .select(({ fn }) => fn.max('at').as('at'))
    .executeTakeFirstOrThrow();
  return at === null ? null : new Date(Number(at)).toISOString();
}

/** By how much authorities date certificates back, in milliseconds: some begin them with the day. */
const DATED_BACK_MS = 24 * 3_600_000;

/**
 * Whether a certificate that begins at an instant may have been asked for here after a backup that was put back since:
 * nothing is left of that here.
 */
export async function mayBeUndone(db: Db, notBefore: number): Promise<boolean> {
  const restores = await db
    .selectFrom('audit_log')
    .select('details')
    .where('action', '=', 'installation.restore')
    .where('at', '>=', notBefore)
    .execute();
  return restores.some(
    ({ details }) => notBefore >= Date.parse(JSON.parse(details).lastChange) - DATED_BACK_MS,
  );
}
