import { readFile } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { ComparedDocument } from '@petstore/changes/api-document.ts';
import type { ChangeList } from '@petstore/changes/change.ts';
import { compareDocuments } from '@petstore/changes/compare-documents.ts';
import { listOf } from '@petstore/changes/report.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { ChangelogEntry } from '@petstore/site/changelog/changelog.ts';
import { toJson } from '@petstore/site/syntax/exact-text.ts';
import { readArchive } from '../build/archive/read-archive.ts';
import type { ComparisonJob, PublishedDocument } from '../build/process/messages.ts';
import { limitsOf } from '../deploy-limits.ts';
import { isHidden } from '../hidden-files.ts';
import { type FindPage, pagesOfOperations } from './change-pages.ts';
import { changelogEntry } from './changelog-entry.ts';
import type {
  ComparisonOutcome,
  DeployChange,
  OpenChanges,
  StoredChanges,
} from './deploy-change.ts';
import { type DocumentPair, pairDocuments } from './pair-documents.ts';
import { problemsText, readCompared } from './read-compared.ts';
import { folderSources, type VersionSources } from './version-sources.ts';

/**
 * How many changes of a deploy are stored, and their JSON in letters; and how many kinds of them, with their operations,
 * an exception of the project can allow. One in `docs.yaml` can allow any.
 */
const MOST = { changes: 2_000, letters: 1_000_000, open: 2_000 };

/**
 * Compares the documents of an upload with those that are published. `notes` are for whoever sent it. It runs in the
 * process of a build.
 */
export async function compareDeploy(job: ComparisonJob): Promise<ComparisonOutcome> {
  try {
    const { sources, rules, problems } = await uploadSources(job);
    const now = new Map<string, ComparedDocument>();
    for (const [address, source] of sources)
      now.set(address, (await readCompared(source)).document);
    const old = new Map<string, ComparedDocument>();
    for (const one of job.published) old.set(one.address, await readPublished(one));
    const entries: ChangelogEntry[] = [];
    const changes = pairDocuments(old, now).flatMap((pair) => {
      const found = changesOf(pair, { ...rules, today: job.today });
      const entry = changelogEntry(pair, found, job.deployedAt);
      if (entry) entries.push(entry);
      return found;
    });
    const list = listOf(changes);
    const stored = bounded(list.changes as readonly DeployChange[]);
    return { counts: list.summary, open: openOf(list), stored, entries, notes: notesOf(problems) };
  } catch (error) {
    if (error instanceof UserError) return { incomparable: error.message };
    throw error;
  }
}

const asItIs = (file: string) => file;

async function uploadSources(job: ComparisonJob): Promise<VersionSources> {
  const { kind, name, document, source } = job;
  const limits = limitsOf(job);
  const mostBytes = limits.uploadBytes;
  const bytes = await readFile(source);
  if (kind === 'document') {
    const one = { files: undefined, name, bytes, overlays: [], pathOf: asItIs, mostBytes };
    return { sources: new Map([['', one]]), rules: {}, problems: [] };
  }
  const unpacked = await readArchive(kind, bytes, name, limits);
  if ('problems' in unpacked) throw new UserError(problemsText(unpacked.problems, name, asItIs));
  const files = new Map([...unpacked.files].filter(([path]) => !isHidden(path)));
  return folderSources(files, { name, document, pathOf: asItIs, mostBytes });
}

async function readPublished({
  file,
  name,
  coding,
  size,
}: PublishedDocument): Promise<ComparedDocument> {
  const packed = await readFile(file);
  const bounds = { maxOutputLength: size };
  const bytes =
    coding === 'br'
      ? brotliDecompressSync(packed, bounds)
      : coding === 'gzip'
        ? gunzipSync(packed, bounds)
        : packed;
  const source = { files: undefined, name, bytes, overlays: [], pathOf: asItIs, mostBytes: size };
  return (await readCompared(source)).document;
}

function changesOf(
  { address, old, now }: DocumentPair,
  options: Parameters<typeof compareDocuments>[2],
): DeployChange[] {
  const { changes } = compareDocuments(old, now, options);
  // Most deploys change no operation.
  if (changes.every(({ operation }) => operation === null))
    return changes.map((change) => ({ ...change, pages: { old: null, new: null } }));
  const find = { old: pagesOfOperations(old, address), now: pagesOfOperations(now, address) };
  const page = (pages: FindPage, operation: string | null) =>
    (operation === null ? undefined : pages(operation)) ?? null;
  return changes.map((change) => ({
    ...change,
    pages: { old: page(find.old, change.operation), new: page(find.now, change.operation) },
  }));
}

/** The changes that exceptions may allow, the gravest first, as far as there is room. */
function openOf({ changes }: ChangeList): OpenChanges[] {
  const open = new Map<string, OpenChanges>();
  for (const { code, operation, verdict } of changes) {
    if (verdict !== 'breaking' && verdict !== 'risky') continue;
    const key = `${verdict} ${code} ${operation}`;
    const { number } = open.get(key) ?? { number: 0 };
    if (number > 0 || open.size < MOST.open)
      open.set(key, { code, operation, verdict, number: number + 1 });
  }
  return [...open.values()];
}

/** As many changes as there is room for. */
function bounded(changes: readonly DeployChange[]): StoredChanges {
  const kept: string[] = [];
  let letters = 0;
  for (const change of changes.slice(0, MOST.changes)) {
    const json = toJson(change, 0).trimEnd();
    letters += json.length;
    if (letters > MOST.letters) break;
    kept.push(json);
  }
  return { changes: `[${kept.join(',')}]`, leftOut: changes.length - kept.length };
}

const notesOf = (problems: VersionSources['problems']): string[] =>
  problems.map(({ message, path, line }) => `${path}:${line}: ${message}`);
