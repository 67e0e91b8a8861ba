import type { BuildLine } from '@petstore/site/build-log.ts';
import { sql } from 'kysely';
import type { Manifest } from '../deploys/artifact.ts';
import { updateRows } from './rows.ts';
import type { Db, Trx } from './schema.ts';

/** How long an unreferenced blob is kept, in milliseconds: a build stores its blobs before it refers to them. */
const UNREFERENCED_MS = 3_600_000;

/** How many values are in one statement, far below the limit of either database. */
const BATCH = 500;

/** Few enough not to delay other statements. */
const REMOVED_AT_ONCE = 200;

/**
 * Those of the blobs that are not stored yet. The stored ones will not be removed as unreferenced before the caller has
 * had time to refer to them.
 */
export async function missingBlobs(
  db: Db,
  hashes: readonly string[],
  now: number,
): Promise<Set<string>> {
  const missing = new Set(hashes);
  for (let at = 0; at < hashes.length; at += BATCH) {
    const rows = await db
      .selectFrom('blobs')
      .select(['hash', 'created_at'])
      .where('hash', 'in', hashes.slice(at, at + BATCH))
      .execute();
    // Written only where it matters: SQLite rewrites the whole blob.
    const aged = rows.filter((row) => row.created_at < now - UNREFERENCED_MS / 2);
    const kept = new Set(rows.map((row) => row.hash));
    for (const { hash } of aged) {
      if (!(await updateRows(db, 'blobs', { hash }, { created_at: now }))) kept.delete(hash);
    }
    for (const hash of kept) missing.delete(hash);
  }
  return missing;
}

/** Stores a blob. An existing one stays and counts as new, so that the maintenance does not delete it. */
export async function putBlob(db: Db, hash: string, bytes: Uint8Array, now: number): Promise<void> {
  await db
    .insertInto('blobs')
    .values({ hash, bytes, created_at: now })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ created_at: now }))
    .execute();
}

/** The bytes of a blob; undefined when there is none. */
export async function readBlob(db: Db, hash: string): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('blobs')
    .select('bytes')
    .where('hash', '=', hash)
    .executeTakeFirst();
  return row?.bytes;
}

/** A manifest that is live. */
export interface LiveManifest {
  readonly id: string;
  /** Of its deploy, and when that was sent, in milliseconds since 1970. */
  readonly number: number;
  readonly createdAt: number;
  readonly manifest: Manifest;
}

/**
 * The live artifact of a project, or the one that a version of it shows, with its deploy; undefined where nothing is
 * shown there.
 */
export async function findLiveManifest(
  db: Db,
  projectId: string,
  version: string | null,
): Promise<LiveManifest | undefined> {
  const shown = liveDeploy(db, projectId, version);
  const row = await db
    .selectFrom('deploys')
    .innerJoin('artifacts', 'artifacts.hash', 'deploys.artifact_hash')
    .select(['deploys.id', 'deploys.number', 'deploys.created_at', 'artifacts.manifest'])
    .where('deploys.id', '=', shown)
    .executeTakeFirst();
  if (!row) return undefined;
  const manifest = JSON.parse(row.manifest) as Manifest;
  return { id: row.id, number: row.number, createdAt: row.created_at, manifest };
}

/** The id of that deploy; null where nothing is shown there. */
export async function findLiveId(
  db: Db,
  projectId: string,
  version: string | null,
): Promise<string | null> {
  const row = await liveDeploy(db, projectId, version).executeTakeFirst();
  return row?.deploy_id ?? null;
}

function liveDeploy(db: Db, projectId: string, version: string | null) {
  return version === null
    ? db.selectFrom('projects').select('live_deploy_id as deploy_id').where('id', '=', projectId)
    : db
        .selectFrom('site_versions')
        .select('deploy_id')
        .where('project_id', '=', projectId)
        .where('name', '=', version);
}

/** How many bytes are in one transaction: each costs a sync of the disk, and delays other writers. */
const TRANSACTION_BYTES = 2_000_000;

/** Stores blobs, a few at a time, in a fixed order, since others may store the same ones meanwhile. */
export async function putBlobs(
  db: Db,
  blobs: AsyncIterable<StoredBlob> | Iterable<StoredBlob>,
  now: number,
): Promise<void> {
  let group: StoredBlob[] = [];
  let size = 0;
  const store = () =>
    db.transaction().execute(async (trx) => {
      for (const [hash, bytes] of group.toSorted(([a], [b]) => (a < b ? -1 : 1)))
        await putBlob(trx, hash, bytes, now);
    });
  for await (const blob of blobs) {
    group.push(blob);
    size += blob[1].length;
    if (size < TRANSACTION_BYTES) continue;
    await store();
    group = [];
    size = 0;
  }
  if (group.length > 0) await store();
}

type StoredBlob = readonly [hash: string, bytes: Uint8Array];

/** What a build made an artifact of, and what it said meanwhile. */
export interface BuildRecord {
  readonly key: string;
  readonly lines: readonly BuildLine[];
}

/** An artifact whose blobs are in the store. */
export interface StoredArtifact {
  readonly hash: string;
  readonly manifest: Manifest;
  /** By their hashes. */
  readonly blobs: ReadonlyMap<string, unknown>;
}

/** The artifact that a build with this key made last, and what it said; undefined where none is stored. */
export async function findBuild(
  db: Db,
  key: string,
): Promise<{ readonly manifest: Manifest; readonly lines: readonly BuildLine[] } | undefined> {
  const row = await db
    .selectFrom('artifacts')
    .select(['manifest', 'build_lines'])
    .where('build_key', '=', key)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) return undefined;
  const lines = JSON.parse(row.build_lines) as BuildLine[];
  return { manifest: JSON.parse(row.manifest) as Manifest, lines };
}

/** Stores the artifact of a build, whose blobs must be stored. An existing one stays, as this build's. */
export async function putArtifact(
  trx: Trx,
  artifact: StoredArtifact & { readonly build?: BuildRecord | undefined },
  now: number,
): Promise<void> {
  const { build } = artifact;
  const made = {
    created_at: now,
    ...(build && { build_key: build.key, build_lines: JSON.stringify(build.lines) }),
  };
  await trx
    .insertInto('artifacts')
    .values({ hash: artifact.hash, manifest: JSON.stringify(artifact.manifest), ...made })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet(made))
    .execute();
  if ((await countReferences(trx, artifact.hash)) === artifact.blobs.size) return;
  const rows = [...artifact.blobs.keys()].map((hash) => ({
    artifact_hash: artifact.hash,
    blob_hash: hash,
  }));
  for (let at = 0; at < rows.length; at += BATCH) {
    await trx
      .insertInto('artifact_blobs')
      .values(rows.slice(at, at + BATCH))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/**
 * To how many blobs an artifact refers. The caller holds its row, so that none is removed meanwhile. An artifact that is
 * deployed again has all of them, and to look for each of ten thousand costs more than all else of that deploy.
 */
async function countReferences(trx: Trx, artifactHash: string): Promise<number> {
  const { count } = await trx
    .selectFrom('artifact_blobs')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('artifact_hash', '=', artifactHash)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Deletes some unreferenced rows: artifacts without a deploy, blobs without an artifact. Returns how many; more may be
 * left unless it is 0.
 */
export async function removeUnreferenced(db: Db, now: number): Promise<number> {
  const before = now - UNREFERENCED_MS;
  const artifacts = await removeArtifact(db, before);
  const blobs = await db
    .deleteFrom('blobs')
    .where('created_at', '<', before)
    .where('hash', 'in', (query) =>
      query
        .selectFrom('blobs as b')
        .select('b.hash')
        .where('b.created_at', '<', before)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('artifact_blobs')
                .select('blob_hash')
                .whereRef('artifact_blobs.blob_hash', '=', 'b.hash'),
            ),
          ),
        )
        .limit(REMOVED_AT_ONCE),
    )
    .executeTakeFirst();
  return artifacts + Number(blobs.numDeletedRows);
}

/**
 * Deletes an artifact without a deploy that was stored before an instant, or some of its references to blobs, of which
 * there can be very many. Returns how many rows it deleted.
 */
async function removeArtifact(db: Db, before: number): Promise<number> {
  return db.transaction().execute(async (trx) => {
    // A build that is about to refer to the artifact waits for the lock, and then stores the deleted parts again.
    const unused = await trx
      .selectFrom('artifacts as a')
      .select('a.hash')
      .where('a.created_at', '<', before)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('deploys').select('id').whereRef('deploys.artifact_hash', '=', 'a.hash'),
          ),
        ),
      )
      .limit(1)
      .forNoKeyUpdate('a')
      .executeTakeFirst();
    if (!unused) return 0;
    const references = await trx
      .deleteFrom('artifact_blobs')
      .where('artifact_hash', '=', unused.hash)
      .where('blob_hash', 'in', (query) =>
        query
          .selectFrom('artifact_blobs as r')
          .select('r.blob_hash')
          .where('r.artifact_hash', '=', unused.hash)
          .limit(REMOVED_AT_ONCE),
      )
      .executeTakeFirst();
    if (references.numDeletedRows > 0n) return Number(references.numDeletedRows);
    const artifact = await trx
      .deleteFrom('artifacts')
      .where('hash', '=', unused.hash)
      .executeTakeFirst();
    return Number(artifact.numDeletedRows);
  });
}

/** How many pages of 4 KiB are returned at once. */
const RELEASED_AT_ONCE = 500;

/** Returns a part of the freed space to the file system. Whether there is more. Only SQLite needs it. */
export async function vacuumStep(db: Db): Promise<boolean> {
  await sql`PRAGMA incremental_vacuum(${sql.lit(RELEASED_AT_ONCE)})`.execute(db);
  const { rows } = await sql<{ freelist_count: number }>`PRAGMA freelist_count`.execute(db);
  return (rows[0]?.freelist_count ?? 0) > RELEASED_AT_ONCE;
}
