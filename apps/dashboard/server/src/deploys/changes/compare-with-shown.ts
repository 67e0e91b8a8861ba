import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExceptionsOfDay } from '@petstore/changes/exceptions.ts';
import { type Changelog, withEntries } from '@petstore/site/changelog/changelog.ts';
import type { LiveManifest } from '../../store/artifacts.ts';
import { findLiveId, findLiveManifest, readBlob } from '../../store/artifacts.ts';
import type { DeployRow } from '../../store/deploys.ts';
import { findProjectById } from '../../store/projects.ts';
import type { Db } from '../../store/schema.ts';
import type { Coding, Manifest, ManifestEntry } from '../artifact.ts';
import type { BuiltDocument } from '../build/build-service.ts';
import type { BuildJob, PublishedDocument } from '../build/process/messages.ts';
import type { runComparison } from '../build/process/run-comparison.ts';
import { withExceptions } from '../exceptions/apply-exceptions.ts';
import { instant } from '../publication.ts';
import {
  countsInWords,
  type DeployComparison,
  NO_CHANGES,
  type StoredChanges,
} from './deploy-change.ts';
import { shownChangelog } from './shown-changelog.ts';

/** What a deploy changes in the documents of the one that is shown, as it is stored: without exceptions of the project. */
export interface Compared {
  readonly comparison: DeployComparison;
  readonly stored: StoredChanges;
  /** That of the deploy that is shown, and what this one changes. */
  readonly changelog: Changelog;
}

interface Comparing {
  readonly db: Db;
  readonly compare: typeof runComparison;
  /** A folder for files. */
  readonly folder: string;
  readonly deploy: DeployRow;
  readonly job: BuildJob;
  /** What readers will have of this deploy. */
  readonly documents: readonly BuiltDocument[];
  /** Those of the project. */
  readonly exceptions: ExceptionsOfDay;
  readonly signal: AbortSignal;
  readonly say: (message: string) => void;
  /** Told of defects. */
  readonly onDefect: (error: unknown) => void;
}

/**
 * Compares a deploy with the one that is shown where it will be, and says what it found. null where nothing is shown
 * there. What cannot be compared is no failure. Rejects when the signal aborts it.
 */
export async function compareWithShown(comparing: Comparing): Promise<Compared | null> {
  const { db, deploy, documents, exceptions, say } = comparing;
  const live = await findShown(db, deploy);
  if (!live) return null;
  const against = { id: live.id, number: live.number };
  const before = await shownChangelog(db, live);
  const old = documentsOf(live.manifest);
  const without = (comparison: Omit<DeployComparison, 'against'>): Compared => ({
    ...{ comparison: { against, ...comparison }, stored: NO_CHANGES, changelog: before },
  });
  if (old.size + documents.length === 0) return without({ changes: null, problem: null });
  if (isSame(live.manifest, documents)) return without({ changes: NO_COUNTS, problem: null });
  const outcome = await run(comparing, await writePublished(comparing, old));
  if ('incomparable' in outcome) {
    const problem = outcome.incomparable;
    say(
      `The API could not be compared with that of deploy #${live.number}, so the changelog stays as it was there: ${problem}`,
    );
    return without({ changes: null, problem });
  }
  const { counts, open, stored, entries, notes } = outcome;
  for (const note of notes) say(note);
  const comparison = { against, changes: counts, problem: null, open };
  const { changes } = withExceptions(comparison, exceptions);
  say(
    `Compared the API with that of deploy #${live.number}, which is live: ${countsInWords(changes ?? {})}.`,
  );
  return { comparison, stored, changelog: withEntries(before, entries) };
}

const NO_COUNTS = { breaking: 0, risky: 0, compatible: 0, documentation: 0 };

/** The deploy that is shown where another one will be. A preview of a branch is compared with what the site's address shows. */
export async function findShown(db: Db, deploy: DeployRow): Promise<LiveManifest | undefined> {
  return findLiveManifest(db, deploy.project_id, await versionThere(db, deploy));
}

/** The id of that deploy; null where nothing is shown. */
export async function findShownId(db: Db, deploy: DeployRow): Promise<string | null> {
  return findLiveId(db, deploy.project_id, await versionThere(db, deploy));
}

async function versionThere(
  db: Db,
  { project_id, branch, version }: DeployRow,
): Promise<string | null> {
  if (branch === null) return version;
  return (await findProjectById(db, project_id))?.default_version ?? null;
}

async function run(
  { compare, deploy, job, exceptions: { today }, signal, onDefect }: Comparing,
  published: readonly PublishedDocument[],
): ReturnType<typeof runComparison> {
  const { kind, name, document, size, source, limits } = job;
  const deployedAt = instant(deploy.created_at);
  try {
    return await compare(
      {
        ...{ kind, name, document, size, source, published, today, deployedAt },
        ...(limits && { limits }),
      },
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

/** The documents that readers of a site have, as a build would name them. */
export const builtDocuments = (manifest: Manifest): BuiltDocument[] =>
  [...documentsOf(manifest)].map(([address, [, { hash }]]) => ({ address, hash }));

/** Whether a site has just these documents. */
export function isSame(manifest: Manifest, documents: readonly BuiltDocument[]): boolean {
  const keyOf = (all: readonly BuiltDocument[]) =>
    JSON.stringify(all.map(({ address, hash }) => [address, hash]).sort());
  return keyOf(builtDocuments(manifest)) === keyOf(documents);
}

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
