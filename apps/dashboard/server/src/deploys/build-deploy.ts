import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../deps.ts';
import { missingBlobs, putBlobs, readBlob } from '../store/artifacts.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { BuildInput, BuildLog, BuildResult, DeployProblem } from './artifact.ts';
import { filesInWords } from './files-in-words.ts';
import { finishFailed, finishSucceeded } from './finish-deploy.ts';
import { logWriter } from './log-writer.ts';

/** A deploy that ended this many processes with it is marked failed. */
const MAX_ATTEMPTS = 3;

export interface BuildDeps extends Pick<Deps, 'db' | 'now' | 'siteChanged'> {
  readonly log: Log;
  readonly build: (input: BuildInput, log: BuildLog, signal: AbortSignal) => Promise<BuildResult>;
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
  const { db, now } = deps;
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

  const input = await readSource(deps, deploy);
  if (!input) return fail([problem('What was uploaded is gone. Deploy it again.')]);
  const result = await deps.build(input, ({ level, message }) => say(level, message), signal);
  if (signal.aborted) throw new Error('the build was given up', { cause: signal.reason });
  if ('problems' in result) return fail(result.problems);
  const { artifact } = result;
  const missing = await missingBlobs(db, [...artifact.blobs.keys()], now());
  say('info', `Storing the site: ${await filesInWords(db, deploy.project_id, artifact.manifest)}.`);
  await putBlobs(
    db,
    [...artifact.blobs].filter(([hash]) => missing.has(hash)),
    now(),
  );
  await say.written();
  await finishSucceeded(deps, worker, deploy, artifact);
}

function problem(message: string): DeployProblem {
  return { message, path: '', line: null };
}

async function readSource({ db }: BuildDeps, deploy: DeployRow): Promise<BuildInput | undefined> {
  if (deploy.source_hash === null) return undefined;
  const bytes = await readBlob(db, deploy.source_hash);
  return bytes && { kind: deploy.source_kind, bytes, name: deploy.source_name };
}
