import { sql } from 'kysely';
import type { Db } from './schema.ts';

/** What is sealed for long. The ID tokens of sessions are not among them: a session ends well without its own. */
const COLUMNS = [
  ['acme_accounts', 'sealed_key'],
  ['certificates', 'sealed_key'],
  ['platform_certificates', 'sealed_key'],
  ['issuances', 'sealed_key'],
  ['domain_connect_keys', 'sealed_key'],
  ['authenticator_apps', 'sealed_secret'],
  ['webhooks', 'sealed_secret'],
  ['repositories', 'sealed_secret'],
  ['repositories', 'sealed_webhook_secret'],
] as const;

export interface SealedSample {
  readonly table: string;
  readonly text: string;
}

/**
 * A sealed text of each column that has any. Read before the key file is: a process creates the file before it seals
 * anything, so if there are sealed secrets but no file, the file was lost.
 */
export async function sampleSealed(db: Db): Promise<SealedSample[]> {
  const samples = COLUMNS.map(
    ([table, column]) =>
      sql`SELECT ${sql.lit(table)} AS "table", text FROM (SELECT ${sql.ref(column)} AS text FROM ${sql.table(table)}
        WHERE ${sql.ref(column)} IS NOT NULL LIMIT 1) AS ${sql.ref(`${table}_${column}`)}`,
  );
  return (await sql<SealedSample>`${sql.join(samples, sql` UNION ALL `)}`.execute(db)).rows;
}
