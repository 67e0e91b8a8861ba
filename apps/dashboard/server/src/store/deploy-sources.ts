import type { Db } from './schema.ts';

/** How long pieces without a deploy are kept, in milliseconds: they are stored before it. */
const UNREFERENCED_MS = 3_600_000;

/** Stores a piece of an upload, whose deploy will be inserted later. `seq`: 0 for the first. */
export async function insertSourceChunk(
  db: Db,
  deployId: string,
  seq: number,
  bytes: Uint8Array,
  now: number,
): Promise<void> {
  const piece = { deploy_id: deployId, seq, bytes, created_at: now };
  await db.insertInto('deploy_sources').values(piece).execute();
}

/** The upload of a deploy, piece by piece; nothing where it is gone. */
export async function* readSource(db: Db, deployId: string): AsyncGenerator<Uint8Array> {
  for (let seq = 0; ; seq += 1) {
    const piece = await db
      .selectFrom('deploy_sources')
      .select('bytes')
      .where('deploy_id', '=', deployId)
      .where('seq', '=', seq)
      .executeTakeFirst();
    if (!piece) return;
    yield piece.bytes;
  }
}

/** Deletes the upload of a deploy. */
export async function removeSource(db: Db, deployId: string): Promise<void> {
  await db.deleteFrom('deploy_sources').where('deploy_id', '=', deployId).execute();
}

/** Deletes pieces whose deploy was never inserted, or was deleted with its project. Returns how many. */
export async function removeOrphanedSources(db: Db, now: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('deploy_sources')
    .where('created_at', '<', now - UNREFERENCED_MS)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deploys')
            .select('id')
            .whereRef('deploys.id', '=', 'deploy_sources.deploy_id'),
        ),
      ),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
