import type { Kysely } from 'kysely';

/** Domains are prepared for a move: proven, and with a certificate, while another host still serves them. */
export async function preparedDomains(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('domains')
    .addColumn('prepare', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('domains')
    .addColumn('awaits_move', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('domains').addColumn('challenge_label', 'text').execute();
  await db.schema
    .alterTable('domain_checks')
    .addColumn('challenge_here', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
