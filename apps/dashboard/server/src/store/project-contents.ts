import { type SqlBool, sql } from 'kysely';
import { updateRows } from './rows.ts';
import type { Db, Trx } from './schema.ts';

// What a project's deploys hold: each content once, however many of its deploys have it, as it is stored (compressed
// forms count, and the plain one where it is stored too). `projects.stored_bytes` is the sum. Both change in the
// transaction in which a deploy gets or loses its artifact, which has locked the project.

/** How many contents of deleted projects are removed at once. */
const REMOVED_AT_ONCE = 2_000;

const EMPTY_SUM = sql<number>`0`;

/** Counts what a deploy of a locked project has got, unless another deploy of the project has the same artifact. */
export async function holdContents(
  trx: Trx,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  artifactHash: string,
): Promise<void> {
  if (await isHeld(trx, projectId, artifactHash, [id])) return;
  await sql`INSERT INTO project_contents (project_id, blob_hash, size, artifacts)
    SELECT ${projectId}, blobs.hash, octet_length(blobs.bytes), 1
    FROM artifact_blobs JOIN blobs ON blobs.hash = artifact_blobs.blob_hash
    WHERE artifact_blobs.artifact_hash = ${artifactHash}
    ON CONFLICT (project_id, blob_hash) DO UPDATE SET artifacts = project_contents.artifacts + 1`.execute(
    trx,
  );
  await addBytes(trx, projectId, await ownBytes(trx, projectId, artifactHash));
}

/** Counts no more what deploys of a locked project have, and lose now. Call it before they do. */
export async function releaseContents(
  trx: Trx,
  projectId: string,
  deployIds: readonly string[],
): Promise<void> {
  const rows = await trx
    .selectFrom('deploys')
    .select('artifact_hash')
    .distinct()
    .where('id', 'in', deployIds)
    .where('artifact_hash', 'is not', null)
    .execute();
  for (const { artifact_hash: hash } of rows) {
    if (hash === null || (await isHeld(trx, projectId, hash, deployIds))) continue;
    const freed = await ownBytes(trx, projectId, hash);
    await trx
      .deleteFrom('project_contents')
      .where('project_id', '=', projectId)
      .where('artifacts', '=', 1)
      .where('blob_hash', 'in', contentsOf(trx, hash))
      .execute();
    await trx
      .updateTable('project_contents')
      .set((set) => ({ artifacts: set('artifacts', '-', 1) }))
      .where('project_id', '=', projectId)
      .where('blob_hash', 'in', contentsOf(trx, hash))
      .execute();
    await addBytes(trx, projectId, -freed);
  }
}

/** Bytes of the contents that one artifact of a project has, and no other one of it. */
export async function ownBytes(db: Db, projectId: string, artifactHash: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('project_contents')
    .select(({ fn }) => fn.coalesce(sumOf('size'), EMPTY_SUM).as('bytes'))
    .where('project_id', '=', projectId)
    .where('artifacts', '=', 1)
    .where('blob_hash', 'in', contentsOf(db, artifactHash))
    .executeTakeFirstOrThrow();
  return bytes;
}

/** Counts anew what a locked project holds, and returns it, in bytes. */
export async function recountContents(trx: Trx, projectId: string): Promise<number> {
  await trx.deleteFrom('project_contents').where('project_id', '=', projectId).execute();
  await sql`INSERT INTO project_contents (project_id, blob_hash, size, artifacts)
    SELECT ${projectId}, blobs.hash, octet_length(blobs.bytes), count(*)
    FROM (SELECT DISTINCT artifact_hash FROM deploys
      WHERE project_id = ${projectId} AND artifact_hash IS NOT NULL) AS held
    JOIN artifact_blobs ON artifact_blobs.artifact_hash = held.artifact_hash
    JOIN blobs ON blobs.hash = artifact_blobs.blob_hash
    GROUP BY blobs.hash, octet_length(blobs.bytes)`.execute(trx);
  const { bytes } = await trx
    .selectFrom('project_contents')
    .select(({ fn }) => fn.coalesce(sumOf('size'), EMPTY_SUM).as('bytes'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  await updateRows(trx, 'projects', { id: projectId }, { stored_bytes: bytes });
  return bytes;
}

/** Deletes some contents of projects that are gone. Returns how many; more may be left unless it is 0. */
export async function removeContentsOfGone(db: Db): Promise<number> {
  const gone = await db
    .selectFrom('project_contents')
    .select('project_id')
    .where(
      sql<SqlBool>`NOT EXISTS (SELECT 1 FROM projects WHERE projects.id = project_contents.project_id)`,
    )
    .limit(1)
    .executeTakeFirst();
  if (!gone) return 0;
  const { numDeletedRows } = await db
    .deleteFrom('project_contents')
    .where('project_id', '=', gone.project_id)
    .where('blob_hash', 'in', (query) =>
      query
        .selectFrom('project_contents as some')
        .select('some.blob_hash')
        .where('some.project_id', '=', gone.project_id)
        .limit(REMOVED_AT_ONCE),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** A sum as a number on both databases: PostgreSQL makes a numeric of the sum of bigints. */
export const sumOf = (column: string) => sql<number>`CAST(SUM(${sql.ref(column)}) AS bigint)`;

const contentsOf = (db: Db, artifactHash: string) =>
  db.selectFrom('artifact_blobs').select('blob_hash').where('artifact_hash', '=', artifactHash);

/** Whether a deploy of the project has the artifact, other than these. */
export async function isHeld(
  db: Db,
  projectId: string,
  artifactHash: string,
  except: readonly string[],
): Promise<boolean> {
  const other = await db
    .selectFrom('deploys')
    .select('id')
    .where('artifact_hash', '=', artifactHash)
    .where('project_id', '=', projectId)
    .where('id', 'not in', except)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

async function addBytes(trx: Trx, projectId: string, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await trx
    .updateTable('projects')
    .set((set) => ({ stored_bytes: set('stored_bytes', '+', bytes) }))
    .where('id', '=', projectId)
    .execute();
}
