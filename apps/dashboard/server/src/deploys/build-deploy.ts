import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Log } from '@petstore/service/log.ts';
import {
  type BuildLog,
  type BuildProblem,
  type Finding,
  problemOf,
} from '@petstore/site/build-log.ts';
import { EMPTY_CHANGELOG } from '@petstore/site/changelog/changelog.ts';
import { levelOf } from '@petstore/site/rules.ts';
import type { Deps } from '../deps.ts';
import { findLiveManifest, missingBlobs, putBlobs } from '../store/artifacts.ts';
import { readSource } from '../store/deploy-sources.ts';
import { appendLog, type DeployRow, type LogRow } from '../store/deploys.ts';
import { findingText } from './artifact.ts';
import { type PackedArtifact, unpackBlobs } from './build/artifact/pack.ts';
import type { BuiltDocument } from './build/build-service.ts';
import type { BuildJob } from './build/process/messages.ts';
import type { runBuild } from './build/process/run-build.ts';
import type { runComparison } from './build/process/run-comparison.ts';
import {
  builtDocuments,
  type Compared,
  compareWithShown,
  findShownId,
} from './changes/compare-with-shown.ts';
import { buildMemory, type MadeArtifact } from './earlier-build.ts';
import { readExceptions } from './exceptions/change-exceptions.ts';
import { finishFailed, finishFull, finishSucceeded, NoRoomError } from './finish-deploy.ts';
import { publicationOf } from './publication.ts';
import { describeFileChanges, warnOfGonePages } from './site-changes.ts';
import { warnOfHiddenPages } from './versions/hidden-pages.ts';

/** A deploy whose build has killed this many processes is marked failed. */
const MAX_ATTEMPTS = 3;

/** How often a deploy is compared where another one goes live meanwhile. Then it waits for an owner. */
const MAX_COMPARISONS = 3;

export interface BuildDeps
  extends Pick<Deps, 'addresses' | 'config' | 'db' | 'metrics' | 'now' | 'siteChanged' | 'spool'> {
  readonly log: Log;
  readonly build: typeof runBuild;
  readonly compare: typeof runComparison;
}

/**
 * Builds a deploy that is leased to `worker` and marks how it ended. Rejects when the signal aborts it, or when the
 * store or the program fails: then it has to be built again.
 */
export async function buildDeploy(
  deps: BuildDeps,
  worker: string,
  deploy: DeployRow,
  signal: AbortSignal,
): Promise<void> {
  const folder = await deps.spool.makeFolder();
  try {
    await buildIn(folder, deps, worker, deploy, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function buildIn(
  folder: string,
  deps: BuildDeps,
  worker: string,
  deploy: DeployRow,
  signal: AbortSignal,
): Promise<void> {
  const { db, now, spool } = deps;
  const say = logWriter(deps, deploy.id);
  const findings: Finding[] = [];
  const fail = async (problems: readonly BuildProblem[]) => {
    await say.written();
    await finishFailed(deps, worker, deploy, { problems, findings });
  };

  if (deploy.attempts > MAX_ATTEMPTS) {
    await fail([
      problemOf(
        `The build was started ${MAX_ATTEMPTS} times and never finished: each time the service stopped or failed. Deploy again. If this repeats, look into the service's log.`,
      ),
    ]);
    return;
  }
  if (deploy.attempts > 1) say('info', 'The build was interrupted; it begins anew.');
  else say('info', 'The build begins.');

  const job: BuildJob = {
    kind: deploy.source_kind,
    name: deploy.source_name,
    size: deploy.source_size,
    document: deploy.source_document ?? undefined,
    source: join(folder, 'source'),
    pack: join(folder, 'pack'),
    compressions: join(spool.folder, 'compressions'),
    publication: await publicationOf(deps, deploy),
    limits: deps.config.deploys,
  };
  const source = createWriteStream(job.source, { mode: 0o600 });
  await pipeline(readSource(db, deploy.id), source);
  if (source.bytesWritten === 0)
    return fail([problemOf('The uploaded file is gone. Deploy it again.')]);
  const memory = buildMemory(deps, deploy, job.publication?.dates);
  const log: BuildLog = (line) => {
    memory.add(line);
    if (!('rule' in line)) return say('info', line.message);
    findings.push(line);
    // Hints are many, and nothing is wrong: the deploy's page has them.
    if (levelOf(line.rule) === 'warning') say('warning', findingText(line));
  };
  const compareNow = async (documents: readonly BuiltDocument[]) =>
    compareWithShown({
      ...{ db, folder, deploy, job, signal, documents, compare: deps.compare },
      exceptions: await readExceptions(db, deploy.project_id, now()),
      say: (message) => say('info', message),
      onDefect: (error) =>
        deps.log.error({ err: error, deploy: deploy.id }, 'the API of a deploy was not compared'),
    });
  let compared: Compared | null | undefined;
  const outcome = await deps.build(job, log, signal, {
    isKnown: memory.isKnown,
    async changelogFor(documents) {
      compared = await compareNow(documents);
      const changelog = compared?.changelog ?? EMPTY_CHANGELOG;
      memory.made(changelog);
      return changelog;
    },
  });
  if (signal.aborted) throw new Error('the build was aborted', { cause: signal.reason });
  if ('problems' in outcome) return fail(outcome.problems);
  if ('isKnown' in outcome)
    say(
      'info',
      'The same files were built before: the result of that build is taken, and its log:',
    );
  const made = 'isKnown' in outcome ? memory.recall(log) : ofPack(deps, outcome.artifact, job.pack);
  const build = memory.record();
  const warnings = findings.filter(({ rule }) => levelOf(rule) === 'warning');
  if (deploy.strict === 1 && warnings.length > 0) {
    say('error', 'Warnings make this deploy fail: it was sent as strict, or the project wants it.');
    return fail(
      warnings.map(({ message, file, path, line }) =>
        path === '' ? { message, path: file, line } : { message, path, file, line },
      ),
    );
  }
  const { artifact } = made;
  const live = await findLiveManifest(db, deploy.project_id, deploy.version);
  // No reason to fail: pages may be removed on purpose.
  if (live) warnOfGonePages(live.manifest, artifact.manifest, log);
  if (deploy.branch === null) await warnOfHiddenPages(db, deploy, artifact.manifest, log);
  const missing = await made.missing();
  const changes = describeFileChanges(live, artifact.manifest, deploy.version);
  say('info', `Storing the site: ${changes}.`);
  await putBlobs(db, made.contents(missing), now());
  for (let left = MAX_COMPARISONS; ; left -= 1) {
    // Its changelog goes on from what was shown when it was built, whatever is shown by now.
    const shown = await findShownId(db, deploy);
    if (compared === undefined || (compared?.comparison.against.id ?? null) !== shown)
      compared = await compareNow(builtDocuments(artifact.manifest));
    await say.written();
    const result = { artifact: { ...artifact, build }, findings, compared };
    try {
      if (await finishSucceeded(deps, worker, deploy, result, { mayReturn: left > 1 })) return;
    } catch (error) {
      if (!(error instanceof NoRoomError)) throw error;
      say('error', 'The site has no room: what is stored of it so far is removed again.');
      await say.written();
      return finishFull(deps, worker, deploy, findings, error.full);
    }
  }
}

/** The result of a build, whose contents are in its pack. */
function ofPack(
  { db, now }: Pick<BuildDeps, 'db' | 'now'>,
  artifact: PackedArtifact,
  pack: string,
): MadeArtifact {
  return {
    artifact,
    missing: () => missingBlobs(db, [...artifact.blobs.keys()], now()),
    contents: (wanted) => unpackBlobs(pack, artifact.blobs, wanted),
  };
}

interface LogWriter {
  (level: LogRow['level'], message: string): void;
  /** Waits until all lines are stored. */
  written(): Promise<void>;
}

/** Stores the lines of a deploy's log in their order, without delaying the build. */
function logWriter(
  { db, now, log }: Pick<Deps, 'db' | 'now'> & { log: Log },
  deployId: string,
): LogWriter {
  let last: Promise<void> = Promise.resolve();
  const say = (level: LogRow['level'], message: string) => {
    const at = now();
    last = last
      .then(() => appendLog(db, deployId, at, level, message))
      // A log with a missing line is better than a failed deploy.
      .catch((error) =>
        log.error({ err: error, deploy: deployId }, "a line of a deploy's log is lost"),
      );
  };
  return Object.assign(say, { written: () => last });
}
