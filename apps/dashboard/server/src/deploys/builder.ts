import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';
import type { Transaction } from 'kysely';
import { SYSTEM } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { PLANS } from '../projects/plans.ts';
import { missingBlobs, putArtifact, putBlobs } from '../store/artifacts.ts';
import { writeAudit } from '../store/audit.ts';
import {
  appendLog,
  type DeployRow,
  findDeploy,
  finishDeploy,
  leaseDeploy,
  listLeased,
  listPrunable,
  pruneDeploys,
  releaseLease,
  renewLease,
  setLiveDeploy,
} from '../store/deploys.ts';
import { holdProject, type ProjectRow } from '../store/projects.ts';
import type { Database } from '../store/schema.ts';
import { noteSiteChange } from '../store/sites.ts';
import type { Artifact, BuildInput, BuildLog, BuildResult, DeployProblem } from './artifact.ts';
import { logWriter } from './log-writer.ts';

/**
 * How long a deploy belongs to a process that says nothing more, in milliseconds: so long does one wait
 * whose process was killed. Renewed three times in that while.
 */
const LEASE_MS = 6_000;
const RENEW_MS = 2_000;

/** How often the queue is looked at for what other processes put there, in milliseconds. */
const POLL_MS = 1_000;

/** A deploy that ended this many processes with it is marked failed. */
const MAX_ATTEMPTS = 3;

export interface Builder {
  /** A deploy waits: look now. */
  kick(): void;
  /** Gives back what is being built, for the next process, and ends. */
  stop(): Promise<void>;
}

interface BuilderDeps extends Pick<Deps, 'db' | 'now' | 'siteChanged'> {
  readonly log: Log;
  readonly build: (input: BuildInput, log: BuildLog, signal: AbortSignal) => Promise<BuildResult>;
}

/** Builds what is queued, a deploy at a time, for as long as the process lives. */
export function startBuilder(deps: BuilderDeps): Builder {
  const { log } = deps;
  const worker = `${hostname()} ${process.pid} ${randomBytes(8).toString('hex')}`;
  const stopping = new AbortController();
  let wake = new AbortController();

  const loop = (async () => {
    await takeOverFromTheDead(deps).catch((error) => {
      // Then it takes until their leases end.
      log.warn({ err: error }, 'deploys of ended processes could not be taken over');
    });
    while (!stopping.signal.aborted) {
      const asleep = wake.signal;
      const isBusy = await buildNext(deps, worker, stopping.signal).catch((error) => {
        // The database is away, say: what was leased is taken up again when its lease ends.
        log.error({ err: error }, 'the queue of deploys cannot be worked on');
        return false;
      });
      if (!isBusy) await sleep(POLL_MS, undefined, { signal: asleep }).catch(() => {});
    }
  })();

  const rouse = () => {
    const asleep = wake;
    wake = new AbortController();
    asleep.abort();
  };
  return {
    kick: rouse,
    async stop() {
      stopping.abort();
      rouse();
      await loop;
    },
  };
}

/**
 * Ends the leases of processes of this machine that are no more, so that what they built goes on at once
 * when the service starts again.
 */
async function takeOverFromTheDead({ db }: BuilderDeps): Promise<void> {
  for (const { id, leased_by } of await listLeased(db)) {
    const [host, pid] = leased_by?.split(' ') ?? [];
    if (host === hostname() && !isProcess(Number(pid))) await releaseLease(db, id, leased_by ?? '');
  }
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Anything but "no such process", such as "not yours", is a process.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Builds the next deploy; whether there was one. */
async function buildNext(deps: BuilderDeps, worker: string, stop: AbortSignal): Promise<boolean> {
  const { db, now, log } = deps;
  const deploy = await leaseDeploy(db, worker, now(), now() + LEASE_MS);
  if (!deploy) return false;
  const lost = new AbortController();
  const renewal = setInterval(async () => {
    const isMine = await renewLease(db, deploy.id, worker, now() + LEASE_MS).catch(() => true);
    if (!isMine) lost.abort();
  }, RENEW_MS);
  try {
    await buildOne(deps, worker, deploy, AbortSignal.any([stop, lost.signal]));
  } catch (error) {
    log.error({ err: error, deploy: deploy.id }, 'a deploy could not be built');
    await releaseLease(db, deploy.id, worker);
    if (!stop.aborted) await sleep(POLL_MS);
  } finally {
    clearInterval(renewal);
  }
  return true;
}

async function buildOne(
  deps: BuilderDeps,
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
        `The build was begun ${MAX_ATTEMPTS} times and never ended: the service stopped each time. Deploy again; if this repeats, the service's log tells why.`,
      ),
    ]);
    return;
  }
  if (deploy.attempts > 1) say('warning', 'The service stopped during the build; it begins anew.');
  else say('info', 'The build begins.');

  const input = await readSource(deps, deploy);
  if (!input) return fail([problem('What was uploaded is gone. Deploy it again.')]);
  const result = await deps.build(input, ({ level, message }) => say(level, message), signal);
  if (signal.aborted) throw new Error('the build was given up', { cause: signal.reason });
  if ('problems' in result) {
    return fail(result.problems);
  }
  const { artifact } = result;
  const missing = await missingBlobs(db, [...artifact.blobs.keys()], now());
  say('info', `Storing ${artifact.blobs.size} contents, ${missing.size} of them new.`);
  await putBlobs(
    db,
    [...artifact.blobs].filter(([hash]) => missing.has(hash)),
    now(),
  );
  await say.written();
  await finishSucceeded(deps, worker, deploy, artifact);
}

async function finishFailed(
  { db, now }: BuilderDeps,
  worker: string,
  deploy: DeployRow,
  problems: readonly DeployProblem[],
): Promise<void> {
  const at = now();
  await db.transaction().execute(async (trx) => {
    const isMine = await finishDeploy(trx, deploy.id, worker, {
      state: 'failed',
      artifact_hash: null,
      errors: JSON.stringify(problems),
      finished_at: at,
    });
    if (!isMine) return;
    const count = `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
    await appendLog(trx, {
      deploy_id: deploy.id,
      at,
      level: 'error',
      message: `Failed with ${count}. What is live stays as it was.`,
    });
    await writeAudit(trx, at, SYSTEM, {
      action: 'deploy.fail',
      projectId: deploy.project_id,
      target: `#${deploy.number}`,
      details: { id: deploy.id, problems: problems.length },
    });
  });
}

/** Success and going live are one step: nobody sees one without the other. */
async function finishSucceeded(
  { db, now, siteChanged }: BuilderDeps,
  worker: string,
  deploy: DeployRow,
  artifact: Artifact,
): Promise<void> {
  const at = now();
  await db.transaction().execute(async (trx) => {
    const project = await holdProject(trx, deploy.project_id);
    if (!project) return;
    await putArtifact(trx, artifact, at);
    const isMine = await finishDeploy(trx, deploy.id, worker, {
      state: 'succeeded',
      artifact_hash: artifact.hash,
      errors: '[]',
      finished_at: at,
    });
    if (!isMine) return;
    const goesLive = deploy.activate === 1 && (await isNewerThanLive(trx, project, deploy));
    if (goesLive) await setLiveDeploy(trx, project.id, deploy.id, at);
    await noteSiteChange(trx, project.id, at);
    await appendLog(trx, {
      deploy_id: deploy.id,
      at,
      level: 'info',
      message: endOf(deploy, goesLive),
    });
    await writeAudit(trx, at, SYSTEM, {
      action: 'deploy.succeed',
      projectId: project.id,
      target: `#${deploy.number}`,
      details: { id: deploy.id, live: goesLive },
    });
    const pruned = await listPrunable(trx, project.id, PLANS[project.plan].keptDeploys);
    await pruneDeploys(trx, pruned, at);
  });
  siteChanged(deploy.project_id);
}

/** An old deploy that took long does not replace a newer one. */
async function isNewerThanLive(
  trx: Transaction<Database>,
  project: ProjectRow,
  deploy: DeployRow,
): Promise<boolean> {
  const live =
    project.live_deploy_id && (await findDeploy(trx, project.id, project.live_deploy_id));
  return !live || deploy.number > live.number;
}

function endOf(deploy: DeployRow, isLive: boolean): string {
  if (isLive) return 'Succeeded, and live.';
  return deploy.activate === 1
    ? 'Succeeded. A newer deploy is live, so this one is not.'
    : 'Succeeded. It is not live, as was asked.';
}

function problem(message: string): DeployProblem {
  return { message, path: '', line: null };
}

async function readSource({ db }: BuilderDeps, deploy: DeployRow): Promise<BuildInput | undefined> {
  if (deploy.source_hash === null) return undefined;
  const row = await db
    .selectFrom('blobs')
    .select('bytes')
    .where('hash', '=', deploy.source_hash)
    .executeTakeFirst();
  return row && { kind: deploy.source_kind, bytes: row.bytes, name: deploy.source_name };
}
