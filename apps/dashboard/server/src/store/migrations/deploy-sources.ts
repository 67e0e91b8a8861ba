import { type Kysely, sql } from 'kysely';
import type { Engine } from '../schema.ts';

/** Uploads are stored in pieces of their own, and no longer as blobs beside those of sites. */
export async function deploySources(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('deploy_sources')
    .addColumn('deploy_id', 'text', (c) => c.notNull())
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('bytes', engine === 'sqlite' ? 'blob' : 'bytea', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('deploy_sources_pkey', ['deploy_id', 'seq'])
    .execute();
  // Queued deploys are built by this version.
  await sql`INSERT INTO deploy_sources (deploy_id, seq, bytes, created_at)
    SELECT deploys.id, 0, blobs.bytes, deploys.created_at
    FROM deploys JOIN blobs ON blobs.hash = deploys.source_hash`.execute(db);
  await db.schema.dropIndex('deploys_source_hash').execute();
  await db.schema.alterTable('deploys').dropColumn('source_hash').execute();
}
