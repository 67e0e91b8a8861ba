import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../deps.ts';
import { findLiveManifest, missingBlobs, putBlobs } from '../store/artifacts.ts';
import { readSource } from '../store/deploy-sources.ts';
import { appendLog, type DeployRow, type LogRow } from '../store/deploys.ts';
import type { Db } from '../store/schema.ts';
import { prefix } from '../truncate.ts';
import type { BuildLog, DeployProblem, Manifest } from './artifact.ts';
import { unpackBlobs } from './build/artifact/pack.ts';
import type { BuildJob } from './build/process/messages.ts';
import type { BuildOutcome } from './build/process/run-build.ts';
import { finishFailed, finishSucceeded } from './finish-deploy.ts';

/** A deploy that ended this many processes with it is marked failed. */
const MAX_ATTEMPTS = 3;

export interface BuildDeps extends Pick<Deps, 'db' | 'now' | 'siteChanged' | 'spool'> {
  readonly log: Log;
  readonly build: (job: BuildJob, log: BuildLog, signal: AbortSignal) => Promise<BuildOutcome>;
}

/**
 * Builds a deploy that is leased to `worker` and marks how it ended. Rejects when the signal ends it, or when
 * the store or the program fails: then it is to be built again.
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
  const fail = async (problems: readonly DeployProblem[]) => {
    await say.written();
    await finishFailed(deps, worker, deploy, problems);
  };

  if (deploy.attempts > MAX_ATTEMPTS) {
    await fail([
      problem(
        `The build was begun ${MAX_ATTEMPTS} times and never ended: each time the service stopped or failed. Deploy again; if this repeats, the service's log tells why.`,
      ),
    ]);
    return;
  }
  if (deploy.attempts > 1) say('warning', 'The build was interrupted; it begins anew.');
  else say('info', 'The build begins.');

  const job: BuildJob = {
    kind: deploy.source_kind,
    name: deploy.source_name,
    size: deploy.source_size,
    source: join(folder, 'source'),
    pack: join(folder, 'pack'),
    compressions: join(spool.folder, 'compressions'),
  };
  const source = createWriteStream(job.source, { mode: 0o600 });
  await pipeline(readSource(db, deploy.id), source);
  if (source.bytesWritten === 0)
    return fail([problem('What was uploaded is gone. Deploy it again.')]);
  const outcome = await deps.build(job, ({ level, message }) => say(level, message), signal);
  if (signal.aborted) throw new Error('the build was aborted', { cause: signal.reason });
  if ('problems' in outcome) return fail(outcome.problems);
  const { artifact } = outcome;
  const missing = await missingBlobs(db, [...artifact.blobs.keys()], now());
  say(
    'info',
    `Storing the site: ${await describeFileChanges(db, deploy.project_id, artifact.manifest)}.`,
  );
  await putBlobs(db, unpackBlobs(job.pack, artifact.blobs, missing), now());
  await say.written();
  await finishSucceeded(deps, worker, deploy, artifact);
}

function problem(message: string): DeployProblem {
  return { message, path: '', line: null };
}

/** `16 files changed, 32 unchanged, compared with deploy #4`, which is live; `48 new files` where none is. */
async function describeFileChanges(
  db: Db,
  projectId: string,
  { files }: Manifest,
): Promise<string> {
  const live = await findLiveManifest(db, projectId);
  const paths = Object.keys(files);
  if (!live) return `${count(paths.length)}, the first of this project`;
  const before = live.manifest.files;
  const isThere = (path: string) => Object.hasOwn(before, path);
  const same = paths.filter((path) => isThere(path) && before[path]?.hash === files[path]?.hash);
  const added = paths.filter((path) => !isThere(path)).length;
  const removed = Object.keys(before).filter((path) => !Object.hasOwn(files, path)).length;
  return [
    `${count(paths.length - same.length - added)} changed`,
    ...(added > 0 ? [`${added} added`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
    `${same.length} unchanged, compared with deploy #${live.number}`,
  ].join(', ');
}

const count = (files: number) => `${files} file${files === 1 ? '' : 's'}`;

interface LogWriter {
  (level: LogRow['level'], message: string): void;
  /** Waits until all that was said is stored. */
  written(): Promise<void>;
}

const MAX_LINE_LENGTH = 2_000;

/** Stores the lines of a deploy's log in their order, without holding up the build. */
function logWriter(
  { db, now, log }: Pick<Deps, 'db' | 'now'> & { log: Log },
  deployId: string,
): LogWriter {
  let last: Promise<void> = Promise.resolve();
  const say = (level: LogRow['level'], message: string) => {
    const line = {
      deploy_id: deployId,
      at: now(),
      level,
      message: prefix(message, MAX_LINE_LENGTH),
    };
    last = last
      .then(() => appendLog(db, line))
      // A log that misses a line is better than a deploy that fails for it.
      .catch((error) =>
        log.error({ err: error, deploy: deployId }, "a line of a deploy's log is lost"),
      );
  };
  return Object.assign(say, { written: () => last });
}
