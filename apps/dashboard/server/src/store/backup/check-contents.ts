import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { UserError } from '@petstore/service/user-error.ts';
import { artifactHash, contentsOf, type Manifest } from '../../deploys/artifact.ts';

type Damaged = (problem: string) => UserError;

/** Where a deploy is shown. No foreign key says that it is there. */
const SHOWN = [
  ['projects', 'live_deploy_id', 'slug'],
  ['site_versions', 'deploy_id', 'name'],
  ['branch_previews', 'deploy_id', 'branch'],
] as const;

/**
 * Reads every stored content, and looks whether each has its hash, each manifest its own and its contents, each deploy
 * that is shown its manifest, and each one that waits its upload. Returns how many contents there are, their bytes, and the slugs of
 * projects whose bytes are counted wrong: nothing is lost with those. Throws what `damaged` makes of what is wrong.
 */
export function checkContents(
  db: DatabaseSync,
  damaged: Damaged,
): { blobs: number; blobBytes: number; miscounted: string[] } {
  const sizes = readBlobs(db, damaged);
  checkManifests(db, sizes, damaged);
  checkShown(db, damaged);
  checkUploads(db, damaged);
  const miscounted = listMiscounted(db);
  const blobBytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return { blobs: sizes.size, blobBytes, miscounted };
}

/** The size of each content by its hash. */
function readBlobs(db: DatabaseSync, damaged: Damaged): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { hash: name, bytes } of db.prepare('SELECT hash, bytes FROM blobs').iterate()) {
    const content = bytes as Uint8Array;
    if (hash('sha256', content, 'hex') !== name) {
      throw damaged(`the content ${name} has changed since it was stored`);
    }
    sizes.set(String(name), content.length);
  }
  return sizes;
}

function checkManifests(
  db: DatabaseSync,
  sizes: ReadonlyMap<string, number>,
  damaged: Damaged,
): void {
  const references = db.prepare(
    'SELECT count(*) AS n FROM artifact_blobs WHERE artifact_hash = ? AND blob_hash = ?',
  );
  // Those of no deploy are being removed, reference by reference.
  const used = db.prepare(
    'SELECT hash, manifest FROM artifacts WHERE hash IN (SELECT artifact_hash FROM deploys)',
  );
  for (const row of used.iterate()) {
    const { hash: name, manifest } = row as { hash: string; manifest: string };
    const read = parsed(manifest, name, damaged);
    // Of its files with their types and contents, its redirects and its policy.
    if (artifactHash(read) !== name) {
      throw damaged(
        `the manifest of the site ${name}${deployOf(db, name)} has changed since it was stored`,
      );
    }
    for (const [content, size] of contentsOf(read)) {
      const isThere = sizes.get(content) === size;
      if (isThere && references.get(name, content)?.n === 1) continue;
      throw damaged(`the site ${name} lacks its content ${content}`);
    }
  }
}

/** Whose site it is: a hash says nothing to people. */
function deployOf(db: DatabaseSync, artifact: string): string {
  const found = db
    .prepare(
      `SELECT slug, number FROM deploys JOIN projects ON projects.id = project_id
       WHERE artifact_hash = ? ORDER BY number DESC LIMIT 1`,
    )
    .get(artifact);
  return found ? ` (${found.slug}, deploy #${found.number})` : '';
}

function parsed(text: string, name: string, damaged: Damaged): Manifest {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    throw damaged(`the manifest of the site ${name} is no JSON`);
  }
}

function checkShown(db: DatabaseSync, damaged: Damaged): void {
  for (const [table, column, name] of SHOWN) {
    if (!hasColumn(db, table, column)) continue;
    const lost = db
      .prepare(
        `SELECT ${name} AS name, ${column} AS deploy FROM ${table} WHERE ${column} IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM deploys WHERE id = ${column} AND artifact_hash IS NOT NULL)`,
      )
      .get();
    if (lost) throw damaged(`${lost.name} shows the deploy ${lost.deploy}, which is not there`);
  }
}

/** Uploads have been in pieces of their own since a migration; before, a deploy named a blob. */
function checkUploads(db: DatabaseSync, damaged: Damaged): void {
  if (!hasColumn(db, 'deploy_sources', 'deploy_id')) return;
  const lost = db
    .prepare(
      `SELECT id FROM deploys WHERE state IN ('queued', 'building') AND source_size <>
       (SELECT coalesce(sum(length(bytes)), 0) FROM deploy_sources WHERE deploy_id = deploys.id)`,
    )
    .get();
  if (lost) throw damaged(`the deploy ${lost.id} waits, and lacks its upload`);
}

/** The sums have been kept since a migration. */
function listMiscounted(db: DatabaseSync): string[] {
  if (!hasColumn(db, 'project_contents', 'artifacts')) return [];
  const counted = `SELECT project_id, blob_hash, size, artifacts FROM project_contents
    WHERE project_id IN (SELECT id FROM projects)`;
  const there = `SELECT held.project_id, blobs.hash, length(blobs.bytes), count(*)
    FROM (SELECT DISTINCT project_id, artifact_hash FROM deploys WHERE artifact_hash IS NOT NULL) AS held
    JOIN artifact_blobs ON artifact_blobs.artifact_hash = held.artifact_hash
    JOIN blobs ON blobs.hash = artifact_blobs.blob_hash
    GROUP BY held.project_id, blobs.hash`;
  const wrong = db.prepare(
    `WITH counted AS (${counted}), there AS (${there})
     SELECT slug FROM projects WHERE id IN (
       SELECT project_id FROM (SELECT * FROM counted EXCEPT SELECT * FROM there)
       UNION SELECT project_id FROM (SELECT * FROM there EXCEPT SELECT * FROM counted)
       UNION SELECT id FROM projects AS p WHERE stored_bytes <>
         (SELECT coalesce(sum(size), 0) FROM project_contents WHERE project_id = p.id))
     ORDER BY slug`,
  );
  return wrong.all().map(({ slug }) => String(slug));
}

function hasColumn(db: DatabaseSync, table: string, column: string): boolean {
  return (
    db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined
  );
}
