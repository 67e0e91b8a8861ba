import { type Kysely, sql } from 'kysely';
import type { Engine } from '../schema.ts';

/**
 * What the deploys of each project hold, with its sum, counted once for the deploys that there are. A project that is
 * deleted has its contents removed later, since there can be very many: so nothing refers to it. A quota may be
 * unlimited, for one where others have a bound.
 */
export async function storedBytes(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { schema } = db;
  const contents = schema
    .createTable('project_contents')
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('blob_hash', 'text', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('artifacts', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('project_contents_pkey', ['project_id', 'blob_hash']);
  await (engine === 'sqlite' ? contents.modifyEnd(sql`WITHOUT ROWID`) : contents).execute();
  await sql`INSERT INTO project_contents (project_id, blob_hash, size, artifacts)
    SELECT held.project_id, blobs.hash, octet_length(blobs.bytes), count(*)
    FROM (SELECT DISTINCT project_id, artifact_hash FROM deploys WHERE artifact_hash IS NOT NULL) AS held
    JOIN artifact_blobs ON artifact_blobs.artifact_hash = held.artifact_hash
    JOIN blobs ON blobs.hash = artifact_blobs.blob_hash
    GROUP BY held.project_id, blobs.hash, octet_length(blobs.bytes)`.execute(db);
  for (const column of ['stored_bytes', 'stored_told'])
    await schema
      .alterTable('projects')
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
  await sql`UPDATE projects SET stored_bytes =
    (SELECT COALESCE(SUM(size), 0) FROM project_contents WHERE project_id = projects.id)`.execute(
    db,
  );
  await withUnlimitedQuotas(db);
}

/** SQLite cannot take a NOT NULL from a column. */
async function withUnlimitedQuotas(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('quotas_and_none')
    .addColumn('quota', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('value', 'bigint')
    .addPrimaryKeyConstraint('quotas_of_targets', ['quota', 'target'])
    .execute();
  await sql`INSERT INTO quotas_and_none (quota, target, value) SELECT quota, target, value FROM quotas`.execute(
    db,
  );
  await db.schema.dropTable('quotas').execute();
  await db.schema.alterTable('quotas_and_none').renameTo('quotas').execute();
}
