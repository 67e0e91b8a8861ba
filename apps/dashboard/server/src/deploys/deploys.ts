import { createReadStream } from 'node:fs';
import { ApiError } from '@petstore/http/errors.ts';
import { formatBytes } from '@petstore/service/text.ts';
import type { Caller } from '../accounts/caller.ts';
import { randomId } from '../accounts/secrets.ts';
import { conflict, forbidden, notFound } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { hasPermission, lockProjectFor } from '../projects/lock-project.ts';
import { notifyFull } from '../quotas/notify-near-limit.ts';
import { requireRoomForBuild } from '../quotas/require-room.ts';
import { FullError, lockPayers, requireRoomForUpload } from '../quotas/room-for-bytes.ts';
import { writeAudit } from '../store/audit.ts';
import { insertSourceChunk, removeSource } from '../store/deploy-sources.ts';
import {
  appendLog,
  countUnfinished,
  type DeployRow,
  findDeploy,
  findLiveDeploy,
  insertDeploy,
  markActivated,
  setLiveDeploy,
  takeDeployNumber,
} from '../store/deploys.ts';
import { findProjectById, lockProject, type ProjectRow } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { findSiteVersion } from '../store/site-versions.ts';
import { recordSiteChange } from '../store/sites.ts';
import { findUser } from '../store/users.ts';
import { openPreview } from './branch-previews.ts';
import { comparisonOf, heldInWords, whyHeld } from './changes/hold-back.ts';
import type { DeployCommit } from './commit/deploy-commit.ts';
import { queueLiveNotice } from './deploy-notice.ts';
import { settleExceptions } from './exceptions/apply-exceptions.ts';
import { readExceptions } from './exceptions/change-exceptions.ts';
import { type DeployView, readDeployView } from './present-deploy.ts';
import { deploySearchText } from './search-text.ts';
import { untilServed } from './served-deploys.ts';
import type { Upload } from './upload.ts';
import { openVersion, showAsVersion, shownBy, whyNoRoom } from './versions/site-versions.ts';

/** How many deploys of one project may wait or be built at the same time: more is a mistake in a script. */
const MAX_UNFINISHED = 20;

/** How many bytes of an upload are stored at once. */
const PIECE_BYTES = 1_000_000;

interface FetchedFrom {
  readonly id: string;
  /** The address of the account whose builds these count as. */
  readonly account: string;
  /** Said in the log: what was fetched. */
  readonly received: string;
  /** Part of the transaction, at its end; what it throws undoes all. */
  readonly record: (trx: Trx, deploy: DeployRow) => Promise<void>;
}

interface QueueOptions {
  /** It goes live when it succeeds, unless it is of a branch. */
  readonly activate: boolean;
  /** The branch whose preview shows it; undefined: none. */
  readonly branch: string | undefined;
  /** The version of the site that it belongs to; undefined: none. */
  readonly version: string | undefined;
  /** It fails where it has warnings. */
  readonly strict: boolean;
  /** The path of the document in an archive; undefined where the archive says it. */
  readonly document: string | undefined;
  /** The commit that it is made of; null: not known. */
  readonly commit: DeployCommit | null;
  /** What it is about, in its sender's words; undefined: nothing was said. */
  readonly message?: string | undefined;
  /** The repository that it was fetched from; undefined: somebody uploaded it. */
  readonly repository?: FetchedFrom;
  /** Why it may break clients although the project minds; undefined: it may not. */
  readonly allowBreaking: string | undefined;
  /** Throws where the right to deploy has ended; called when everything is stored, which may take seconds. */
  readonly admit: () => Promise<void>;
}

/**
 * Stores an upload and queues a deploy of it. When this returns, the deploy will be built, whatever happens to this
 * process. Nothing of a refused upload stays.
 */
export async function queueDeploy(
  { db, now, deployQueued }: Pick<Deps, 'db' | 'now' | 'deployQueued'>,
  project: ProjectRow,
  upload: Upload,
  {
    activate,
    branch,
    version,
    strict,
    document,
    commit,
    message,
    repository,
    allowBreaking,
    admit,
  }: QueueOptions,
  actor: Actor,
): Promise<DeployRow> {
  const at = now();
  const id = randomId(12);
  // Before the deploy and in transactions of its own: writing fifty megabytes blocks no other writer.
  let pieces = 0;
  for await (const piece of createReadStream(upload.path, { highWaterMark: PIECE_BYTES })) {
    await insertSourceChunk(db, id, pieces++, piece, at);
  }
  const insert = async (trx: Trx) => {
    const payers = await lockPayers(trx, project.id);
    const current = await lockProject(trx, project.id);
    if (!current) throw notFound('project');
    if ((await countUnfinished(trx, project.id)) >= MAX_UNFINISHED) {
      throw conflict(
        `${MAX_UNFINISHED} deploys of this project wait to be built. Try again when they are done.`,
      );
    }
    await requireRoomForBuild(trx, current, at);
    await requireRoomForUpload(trx, current, payers, upload.size);
    if (branch !== undefined) await openPreview(trx, project, branch, at);
    if (version !== undefined) await openVersion(trx, project, version, at);
    const creator = actor.userId === null ? undefined : await findUser(trx, actor.userId);
    const said = {
      id,
      number: await takeDeployNumber(trx, current),
      message: message ?? null,
      source_commit: commit && JSON.stringify(commit),
      branch: branch ?? null,
      version: version ?? null,
      source_name: upload.name,
      created_by_email: repository?.account ?? actor.name,
      created_by_name: creator?.name ?? null,
    };
    const row: DeployRow = {
      project_id: project.id,
      ...said,
      search_text: deploySearchText(said),
      state: 'queued',
      source_kind: upload.kind,
      source_size: upload.size,
      source_document: document ?? null,
      artifact_hash: null,
      activate: activate && branch === undefined ? 1 : 0,
      strict: strict ? 1 : 0,
      errors: '[]',
      findings: '[]',
      created_by: actor.userId,
      token_id: actor.token?.id ?? null,
      created_at: at,
      started_at: null,
      finished_at: null,
      activated_at: null,
      pruned_at: null,
      attempts: 0,
      leased_by: null,
      leased_until: null,
      comparison: null,
      allow_breaking: allowBreaking ?? null,
      held: null,
      repository_id: repository?.id ?? null,
    };
    await insertDeploy(trx, row);
    const received = repository?.received ?? `Received ${upload.name}`;
    const waits = `${received} (${formatBytes(upload.size)}), waiting to be built.`;
    await appendLog(trx, row.id, at, 'info', waits);
    await writeAudit(trx, at, actor, {
      action: 'deploy.create',
      projectId: project.id,
      target: `#${row.number}`,
      details: {
        ...{ id: row.id, file: upload.name },
        ...(branch !== undefined && { branch }),
        ...(version !== undefined && { version }),
        ...(commit && { commit: commit.hash }),
        ...(message !== undefined && { message }),
        ...(allowBreaking !== undefined && { allowBreaking }),
      },
    });
    await repository?.record(trx, row);
    return row;
  };
  try {
    await admit();
    const deploy = await db.transaction().execute(insert);
    deployQueued();
    return deploy;
  } catch (error) {
    // After any other error the deploy may exist. Parts of an upload without a deploy are deleted within hours.
    if (error instanceof ApiError) await removeSource(db, id);
    if (error instanceof FullError) {
      const { full, message } = error;
      await db.transaction().execute((trx) => notifyFull(trx, at, project.id, full, message));
    }
    throw error;
  }
}

const STATES: Record<DeployRow['state'], string> = {
  queued: 'still waits to be built',
  building: 'is still being built',
  succeeded: 'succeeded',
  failed: 'failed',
};

/**
 * Puts a deploy that succeeded live, at once. Where the project holds it back this confirms it, with the reason
 * `allowBreaking` for the audit log. Throws ApiError when it cannot be.
 */
export async function activateDeploy(
  deps: Pick<Deps, 'addresses' | 'db' | 'now' | 'siteChanged'>,
  project: ProjectRow,
  id: string,
  caller: Caller,
  allowBreaking: string | undefined,
): Promise<void> {
  const { db, now, siteChanged } = deps;
  await db.transaction().execute(async (trx) => {
    // Nothing of it is pruned meanwhile.
    const current = await lockProjectFor(trx, caller, project.id, 'deploy.activate');
    const before = await findDeploy(trx, project.id, id);
    if (!before) throw notFound('deploy');
    if (before.branch !== null) {
      throw conflict(
        `Deploy #${before.number} is a preview of the branch ${before.branch}, and those never go live. Deploy its document again without a branch.`,
      );
    }
    if (before.state !== 'succeeded') {
      throw conflict(
        `Deploy #${before.number} ${STATES[before.state]}; only one that succeeded can be put live.`,
      );
    }
    if (before.artifact_hash === null) {
      throw conflict(
        `The files of deploy #${before.number} were removed to make room for newer ones. Deploy its document again.`,
      );
    }
    const shown = await findShownId(trx, current, before);
    const exceptions = await readExceptions(trx, project.id, now());
    const comparison = comparisonOf(before, exceptions);
    const held = whyHeld(current, comparison, before, shown);
    if (held !== undefined && !(await hasPermission(trx, caller, project.id, 'deploy.confirm'))) {
      throw forbidden(
        `Deploy #${before.number} is held back. ${heldInWords(held, comparison)} An owner of the project has to put it live.`,
      );
    }
    const from = await replaceShown(trx, current, before, now());
    await settleExceptions(trx, before, exceptions);
    await writeAudit(trx, now(), caller.actor, {
      action: 'deploy.activate',
      projectId: project.id,
      target: `#${before.number}`,
      details: {
        ...{ id, before: from?.id ?? null, from: from ? `#${from.number}` : null },
        ...(before.version !== null && { version: before.version }),
        ...(held !== undefined && { held, breaking: comparison?.changes?.breaking ?? null }),
        ...(allowBreaking !== undefined && { allowBreaking }),
      },
    });
    await queueLiveNotice(trx, now(), deps, before, from?.id ?? null);
    await recordSiteChange(trx, project.id, now());
  });
  siteChanged(project.id);
}

/** The id of the deploy that is shown where another one would be, as `whyHeld` asks for it. */
async function findShownId(
  trx: Trx,
  project: ProjectRow,
  { version }: DeployRow,
): Promise<string | null | undefined> {
  if (version === null) return project.live_deploy_id ?? undefined;
  return shownBy(await findSiteVersion(trx, project.id, version));
}

/** Puts a stored deploy where its project or its version shows one, and returns the one that was there. */
async function replaceShown(
  trx: Trx,
  project: ProjectRow,
  deploy: DeployRow,
  at: number,
): Promise<DeployRow | undefined> {
  if (deploy.version === null) {
    const live = await findLiveDeploy(trx, project);
    await setLiveDeploy(trx, project.id, deploy.id, at);
    return live;
  }
  const version = await findSiteVersion(trx, project.id, deploy.version);
  if (!version) throw notFound('version');
  const full = await whyNoRoom(trx, version);
  if (full !== undefined) throw conflict(full);
  const { deploy_id } = version;
  const shown = deploy_id === null ? undefined : await findDeploy(trx, project.id, deploy_id);
  await showAsVersion(trx, project, version, deploy.id);
  await markActivated(trx, deploy.id, at);
  return shown;
}

/** A deploy of a project, the project as it is now, and what is to be known to show it. Throws ApiError where there is none. */
export async function readDeploy(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  project: ProjectRow,
  id: string,
): Promise<{ deploy: DeployRow; project: ProjectRow; view: DeployView }> {
  const deploy = await findDeploy(db, project.id, id);
  const current = await findProjectById(db, project.id);
  if (!deploy || !current) throw notFound('deploy');
  await untilServed(deploy);
  return { deploy, project: current, view: await readDeployView(db, current, now()) };
}
