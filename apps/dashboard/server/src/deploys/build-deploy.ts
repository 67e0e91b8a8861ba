import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Log } from '@petstore/service/log.ts';
import { count } from '@petstore/service/text.ts';
import {
  type BuildLog,
  type BuildProblem,
  type Finding,
  problemOf,
} from '@petstore/site/build-log.ts';
import { EMPTY_CHANGELOG } from '@petstore/site/changelog/changelog.ts';
import { levelOf } from '@petstore/site/rules.ts';
import { roleIn } from '../accounts/caller.ts';
import { isAllowed, PERMISSIONS } from '../accounts/permissions.ts';
import { SYSTEM } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { PLANS } from '../projects/project.ts';
import { type Full, fullInWords, lockPayers, whyNoRoomForSite } from '../quotas/room-for-bytes.ts';
import { tellFull, tellNear } from '../quotas/tell-near.ts';
import { findLiveManifest, missingBlobs, putArtifact, putBlobs } from '../store/artifacts.ts';
import { writeAudit } from '../store/audit.ts';
import { findBranchPreview } from '../store/branch-previews.ts';
import { putDeployChanges } from '../store/deploy-changes.ts';
import { readSource } from '../store/deploy-sources.ts';
import {
  appendLog,
  type DeployRow,
  findLiveDeploy,
  finishDeploy,
  type LogRow,
  listPrunable,
  markActivated,
  pruneDeploys,
  setLiveDeploy,
} from '../store/deploys.ts';
import { holdContents } from '../store/project-contents.ts';
import {
  findProjectById,
  findProjectForUser,
  lockProject,
  type ProjectRow,
} from '../store/projects.ts';
import { findRepositoryById } from '../store/repositories.ts';
import type { Role, Trx } from '../store/schema.ts';
import { recordSiteChange } from '../store/sites.ts';
import { lockValidToken } from '../store/tokens.ts';
import { findUser } from '../store/users.ts';
import { findingText } from './artifact.ts';
import { showOnPreview } from './branch-previews.ts';
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
import { comparisonOf, heldInWords, whyHeld } from './changes/hold-back.ts';
import { tellFailed, tellLive, tellSucceeded } from './deploy-notice.ts';
import { buildMemory, type MadeArtifact } from './earlier-build.ts';
import { settleExceptions } from './exceptions/apply-exceptions.ts';
import { readExceptions } from './exceptions/change-exceptions.ts';
import { publicationOf } from './publication.ts';
import { describeFileChanges, tellGonePages } from './site-changes.ts';
import { tellHiddenPages } from './versions/hidden-pages.ts';
import {
  isNewerThanShown,
  showAsVersion,
  shownBy,
  versionOf,
  whyNoRoom,
} from './versions/site-versions.ts';

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
  if (live) tellGonePages(live.manifest, artifact.manifest, log);
  if (deploy.branch === null) await tellHiddenPages(db, deploy, artifact.manifest, log);
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
      const message = await fullInWords(db, deploy.project_id, error.full);
      await fail([problemOf(message)]);
      return tellFull(db, now(), deploy.project_id, error.full, message);
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

type FinishDeps = Pick<Deps, 'addresses' | 'db' | 'now' | 'siteChanged'>;

/** Marks a deploy as failed, unless another worker has it by now. The live deploy stays live. */
async function finishFailed(
  deps: FinishDeps,
  worker: string,
  deploy: DeployRow,
  result: Failure,
): Promise<void> {
  const at = deps.now();
  const line = `Failed with ${count(result.problems.length, 'problem')}.`;
  await deps.db.transaction().execute(async (trx) => {
    if (await lockProject(trx, deploy.project_id))
      await failDeploy(trx, at, deps, worker, deploy, result, line);
  });
}

interface Failure {
  readonly problems: readonly BuildProblem[];
  readonly findings: readonly Finding[];
}

/** The project must be locked. */
async function failDeploy(
  trx: Trx,
  at: number,
  deps: FinishDeps,
  worker: string,
  deploy: DeployRow,
  { problems, findings }: Failure,
  line: string,
): Promise<void> {
  const isMine = await finishDeploy(trx, deploy.id, worker, {
    state: 'failed',
    artifact_hash: null,
    errors: JSON.stringify(problems),
    findings: JSON.stringify(findings),
    finished_at: at,
  });
  if (!isMine) return;
  const project = await findProjectById(trx, deploy.project_id);
  const rest = project?.live_deploy_id ? ' What is live stays as it was.' : '';
  await appendLog(trx, deploy.id, at, 'error', line + rest);
  await writeAudit(trx, at, SYSTEM, {
    action: 'deploy.fail',
    projectId: deploy.project_id,
    target: `#${deploy.number}`,
    details: { id: deploy.id, problems: problems.length },
  });
  await tellFailed(trx, at, deps, deploy);
}

interface Success {
  readonly artifact: Parameters<typeof putArtifact>[1];
  readonly findings: readonly Finding[];
  /** null where nothing was shown to compare it with. */
  readonly compared: Compared | null;
}

/** A site has no room in its project, or with an owner. The transaction is undone. */
class NoRoomError extends Error {
  override name = 'NoRoomError';
  readonly full: Full;

  constructor(full: Full) {
    super(full.holds);
    this.full = full;
  }
}

/**
 * Marks a deploy as succeeded and puts it live or on its branch's preview, in one transaction; or as failed, where its sender lost the right to
 * deploy meanwhile. The blobs of its artifact must be stored. Prunes the deploys that the project's plan does not keep.
 * false: another deploy went live since it was compared, and whether it breaks clients decides where it goes; with
 * `mayReturn` nothing was done then. Rejects with NoRoomError where a quota has no room for it.
 */
async function finishSucceeded(
  deps: FinishDeps,
  worker: string,
  deploy: DeployRow,
  { artifact, findings, compared }: Success,
  { mayReturn }: { readonly mayReturn: boolean },
): Promise<boolean> {
  const at = deps.now();
  const isFinished = await deps.db.transaction().execute(async (trx) => {
    const payers = await lockPayers(trx, deploy.project_id);
    const project = await lockProject(trx, deploy.project_id);
    if (!project) return true;
    const fail = async (message: string) => {
      const failure = { problems: [problemOf(message)], findings };
      await failDeploy(trx, at, deps, worker, deploy, failure, `Failed. ${message}`);
      return true;
    };
    const { lost, role } = await senderOf(trx, project, deploy, at);
    if (lost !== undefined)
      return fail(
        `The right to deploy ended before the build did: ${lost}. Have someone with that right deploy it again, or use a valid token.`,
      );
    const preview =
      deploy.branch === null ? null : await findBranchPreview(trx, project.id, deploy.branch);
    if (preview === undefined)
      return fail(
        `The preview of the branch ${deploy.branch} was deleted before the build ended. Deploy it again to open another one.`,
      );
    const version = await versionOf(trx, deploy);
    if (deploy.version !== null && !version)
      return fail(
        `The version ${deploy.version} was retired before the build ended. Deploy it again to take it up.`,
      );
    const crowded = version && deploy.activate === 1 ? await whyNoRoom(trx, version) : undefined;
    if (crowded !== undefined) return fail(crowded);
    const isNewest = version
      ? await isNewerThanShown(trx, version, deploy)
      : await isNewerThanLive(trx, project, deploy);
    const mayGoLive = deploy.activate === 1 && isNewest;
    const shown = version ? shownBy(version) : (project.live_deploy_id ?? undefined);
    const exceptions = await readExceptions(trx, project.id, at);
    const stored = compared && JSON.stringify(compared.comparison);
    const comparison = comparisonOf({ comparison: stored }, exceptions);
    const isConfirmed = deploy.allow_breaking !== null && isAllowed(role, 'deploy.confirm');
    const reason = mayGoLive ? whyHeld(project, comparison, deploy, shown) : undefined;
    const held = isConfirmed ? undefined : reason;
    const isOutdated = shown !== null && comparison?.against.id !== shown;
    if (held !== undefined && isOutdated && mayReturn) return false;
    await putArtifact(trx, artifact, at);
    const isMine = await finishDeploy(trx, deploy.id, worker, {
      state: 'succeeded',
      artifact_hash: artifact.hash,
      errors: '[]',
      findings: JSON.stringify(findings),
      comparison: stored,
      held: held ?? null,
      finished_at: at,
    });
    if (!isMine) return true;
    await holdContents(trx, { id: deploy.id, projectId: project.id }, artifact.hash);
    if (compared) {
      const { changes, leftOut: left_out } = compared.stored;
      await putDeployChanges(trx, { deploy_id: deploy.id, changes, left_out });
    }
    const goesLive = mayGoLive && held === undefined;
    if (goesLive && version) {
      await showAsVersion(trx, project, version, deploy.id);
      await markActivated(trx, deploy.id, at);
    } else if (goesLive) await setLiveDeploy(trx, project.id, deploy.id, at);
    if (goesLive) await settleExceptions(trx, { id: deploy.id, comparison: stored }, exceptions);
    const isShown = preview !== null && (await showOnPreview(trx, preview, deploy, at));
    await recordSiteChange(trx, project.id, at);
    const end =
      held === undefined
        ? endOf(deploy, project, goesLive || isShown)
        : `Succeeded, and held back. ${heldInWords(held, comparison)} An owner of the project puts it live. What is live stays as it was.`;
    await appendLog(trx, deploy.id, at, 'info', end);
    await writeAudit(trx, at, SYSTEM, {
      action: 'deploy.succeed',
      projectId: project.id,
      target: `#${deploy.number}`,
      details: {
        ...{ id: deploy.id, live: goesLive },
        ...(comparison?.changes && { breaking: comparison.changes.breaking }),
        ...(held !== undefined && { held }),
        ...(reason !== undefined && isConfirmed && { allowBreaking: deploy.allow_breaking }),
      },
    });
    await tellSucceeded(trx, at, deps, deploy);
    if (goesLive) await tellLive(trx, at, deps, deploy, shown ?? null);
    const pruned = await listPrunable(trx, project.id, PLANS[project.plan].keptDeploys);
    await pruneDeploys(trx, project.id, pruned, at);
    const after = await findProjectById(trx, project.id);
    const full = after && (await whyNoRoomForSite(trx, project, after, payers));
    if (full !== undefined) throw new NoRoomError(full);
    if (after) await tellNear(trx, at, project, after, payers);
    return true;
  });
  if (isFinished) deps.siteChanged(deploy.project_id);
  return isFinished;
}

/**
 * The role that the sender of a deploy has in a locked project, or why they may no longer deploy to it. It stays true
 * until the transaction ends, since roles change under the project's lock.
 */
async function senderOf(
  trx: Trx,
  project: ProjectRow,
  { created_by, created_by_email: sender, token_id, repository_id }: DeployRow,
  at: number,
): Promise<{ lost: string; role?: undefined } | { lost?: undefined; role: Role }> {
  if (repository_id !== null) {
    const repository = await findRepositoryById(trx, repository_id);
    // It deploys as an editor would, and confirms nothing.
    if (repository?.project_id === project.id) return { role: 'editor' };
    return { lost: 'the repository that it was fetched from was disconnected' };
  }
  const user = created_by === null ? undefined : await findUser(trx, created_by);
  const found = user && (await findProjectForUser(trx, project.id, user.id));
  if (!found) return { lost: `${sender} has no account any more` };
  if (user.disabled_at !== null) return { lost: `the account of ${sender} is disabled` };
  const role = roleIn(found, user);
  if (role === null) return { lost: `${sender} is no member of the project any more` };
  if (!isAllowed(role, 'deploy.create')) {
    const allowed = PERMISSIONS['deploy.create'].roles.join(' or ');
    return { lost: `${sender} has the role ${role} in the project now, and this needs ${allowed}` };
  }
  const isValid = token_id === null || (await lockValidToken(trx, token_id, at));
  return isValid
    ? { role }
    : { lost: `the API token that ${sender} sent it with was revoked or has expired` };
}

/** An old deploy that took long does not replace a newer one. */
async function isNewerThanLive(trx: Trx, project: ProjectRow, deploy: DeployRow): Promise<boolean> {
  const live = await findLiveDeploy(trx, project);
  return !live || deploy.number > live.number;
}

/** `isShown`: live, or at the address of its branch or version. */
function endOf(deploy: DeployRow, { default_version }: ProjectRow, isShown: boolean): string {
  if (deploy.branch !== null) {
    return isShown
      ? `Succeeded, and shown at the address of the branch ${deploy.branch}.`
      : `Succeeded. A newer deploy of the branch ${deploy.branch} is shown, so this one is not, and its files are removed.`;
  }
  if (isShown && deploy.version !== null)
    return `Succeeded, and live as the version ${deploy.version}.`;
  if (isShown && default_version !== null)
    return `Succeeded. Readers do not see it: the site's address leads to the default version ${default_version}. Deploy it with a version, or make it the default: dashboard versions default --unversioned.`;
  if (isShown) return 'Succeeded, and live.';
  return deploy.activate === 1
    ? 'Succeeded. A newer deploy is live, so this one is not.'
    : 'Succeeded. It is not live, because it was uploaded with activate=false.';
}
