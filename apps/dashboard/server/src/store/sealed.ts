import { sql } from 'kysely';
import type { Db } from './schema.ts';

/**
 * Whether the database has sealed secrets. Called before the key file is read: a process creates the file before it
 * seals anything, so if there are sealed secrets but no file, the file was lost.
 */
export async function holdsSealed(db: Db): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM acme_accounts UNION ALL SELECT 1 FROM certificates
    UNION ALL SELECT 1 FROM domain_connect_keys UNION ALL SELECT 1 FROM webhooks
    UNION ALL SELECT 1 FROM authenticator_apps UNION ALL SELECT 1 FROM issuances WHERE sealed_key IS NOT NULL
    UNION ALL SELECT 1 FROM repositories
      WHERE sealed_secret IS NOT NULL OR sealed_webhook_secret IS NOT NULL
    LIMIT 1`.execute(db);
  return rows.length > 0;
}
