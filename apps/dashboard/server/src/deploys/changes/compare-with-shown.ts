import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExceptionsOfDay } from '@petstore/changes/exceptions.ts';
import type { LiveManifest } from '../../store/artifacts.ts';
import { findLiveManifest, readBlob } from '../../store/artifacts.ts';
import type { DeployRow } from '../../store/deploys.ts';
import { findProjectById } from '../../store/projects.ts';
import type { Db } from '../../store/schema.ts';
import type { Coding, Manifest, ManifestEntry } from '../artifact.ts';
import type { BuildJob, PublishedDocument } from '../build/process/messages.ts';
import type { runComparison } from '../build/process/run-comparison.ts';
import { withExceptions } from '../exceptions/apply-exceptions.ts';
import {
  countsInWords,
  type DeployComparison,
  NO_CHANGES,
  type StoredChanges,
} from './deploy-change.ts';

/** What a deploy changes in the documents of the one that is shown, as it is stored: without exceptions of the project. */
export interface Compared {
  readonly comparison: DeployComparison;
  readonly stored: StoredChanges;
}

interface Comparing {
  readonly db: Db;
  readonly compare: typeof runComparison;
  /** A folder for files. */
  readonly folder: string;
  readonly deploy: DeployRow;
  readonly job: BuildJob;
  /** The site that was built. */
  readonly manifest: Manifest;
  /** Those of the project. */
  readonly exceptions: ExceptionsOfDay;
  readonly signal: AbortSignal;
  readonly say: (message: string) => void;
  /** Told of defects. */
  readonly onDefect: (error: unknown) => void;
}

/**
 * Compares a deploy that was built with the one that is shown where it will be, and says what it found. null where nothing
 * is shown there. What cannot be compared is no failure. Rejects when the signal aborts it.
 */
export async function compareWithShown(comparing: Comparing): Promise<Compared | null> {
  const { db, deploy, manifest, exceptions, say } = comparing;
  const live = await findShown(db, deploy);
  if (!live) return null;
  const against = { id: live.id, number: live.number };
  const [old, now] = [documentsOf(live.manifest), documentsOf(manifest)];
  const unchanged = (changes: DeployComparison['changes']): Compared => ({
    comparison: { against, changes, problem: null },
    stored: NO_CHANGES,
  });
  if (old.size + now.size === 0) return unchanged(null);
  if (hashesOf(old) === hashesOf(now))
    return unchanged({ breaking: 0, risky: 0, compatible: 0, documentation: 0 });
  const outcome = await run(comparing, await writePublished(comparing, old));
  if ('incomparable' in outcome) {
    const problem = outcome.incomparable;
    say(`The API could not be compared with that of deploy #${live.number}: ${problem}`);
    return { comparison: { against, changes: null, problem }, stored: NO_CHANGES };
  }
  const { counts, open, stored, notes } = outcome;
  for (const note of notes) say(note);
  const comparison = { against, changes: counts, problem: null, open };
  const { changes } = withExceptions(comparison, exceptions);
  say(
    `Compared the API with that of deploy #${live.number}, which is live: ${countsInWords(changes ?? {})}.`,
  );
  return { comparison, stored };
}

/** A preview of a branch is compared with what the site's address shows. */
async function findShown(
  db: Db,
  { project_id, branch, version }: DeployRow,
): Promise<LiveManifest | undefined> {
  if (branch === null) return findLiveManifest(db, project_id, version);
  const project = await findProjectById(db, project_id);
  return project && findLiveManifest(db, project_id, project.default_version);
}

async function run(
  { compare, job, exceptions: { today }, signal, onDefect }: Comparing,
  published: readonly PublishedDocument[],
): ReturnType<typeof runComparison> {
  const { kind, name, document, size, source, limits } = job;
  try {
    return await compare(
      { kind, name, document, size, source, published, today, ...(limits && { limits }) },
      signal,
    );
  } catch (error) {
    if (signal.aborted) throw error;
    onDefect(error);
    return { incomparable: 'The comparison failed because of the service, not of what was sent.' };
  }
}

type Documents = ReadonlyMap<string, readonly [path: string, entry: ManifestEntry]>;

/** The documents that readers of a site can have, by the address of their reference. */
function documentsOf({ files }: Manifest): Documents {
  const documents = new Map<string, readonly [string, ManifestEntry]>();
  for (const [path, entry] of Object.entries(files)) {
    const found = /^(?:\/reference\/([^/]+))?\/openapi\.json$/.exec(path);
    if (found) documents.set(found[1] ?? '', [path, entry]);
  }
  return documents;
}

const hashesOf = (documents: Documents): string =>
  JSON.stringify([...documents].map(([address, [, { hash }]]) => [address, hash]).sort());

/** Writes documents into files, as they are stored. */
async function writePublished(
  { db, folder }: Comparing,
  documents: Documents,
): Promise<PublishedDocument[]> {
  const published: PublishedDocument[] = [];
  for (const [address, [path, entry]] of documents) {
    const coding: Coding | null = entry.compressedOnly ? (entry.codings?.br ? 'br' : 'gzip') : null;
    const stored = (coding && entry.codings?.[coding]?.hash) ?? entry.hash;
    const bytes = await readBlob(db, stored);
    // Gone only where the deploy was replaced and pruned at this moment.
    if (!bytes) continue;
    const file = join(folder, `published-${published.length}`);
    await writeFile(file, bytes, { mode: 0o600 });
    published.push({ address, name: path.slice(1), file, coding, size: entry.size });
  }
  return published;
}
