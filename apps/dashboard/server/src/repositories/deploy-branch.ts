import { rm, stat } from 'node:fs/promises';
import type { Commit } from '@petstore/git/commit.ts';
import { type FetchedBranch, fetchBranch } from '@petstore/git/fetch-branch.ts';
import { ApiError } from '@petstore/http/errors.ts';
import type { Log } from '@petstore/service/log.ts';
import { prefix } from '@petstore/service/text.ts';
import { conflict } from '../api-error.ts';
import { REPOSITORY } from '../audit/actor.ts';
import { readCommit } from '../deploys/commit/read-commit.ts';
import { queueDeploy } from '../deploys/deploys.ts';
import { readUpload, type Upload, uploadTooLarge } from '../deploys/upload.ts';
import type { Deps } from '../deps.ts';
import { appendLog, type DeployRow } from '../store/deploys.ts';
import { findProjectById, type ProjectRow } from '../store/projects.ts';
import { findRepositoryById, type RepositoryRow } from '../store/repositories.ts';
import {
  endBranchLease,
  findBranchRow,
  type LeasedBranch,
  type RepositoryBranchRow,
} from '../store/repository-branches.ts';
import type { Trx } from '../store/schema.ts';
import { BranchError } from './branch-problem.ts';
import { gitSettings, openRepository } from './git-access.ts';
import { type PackedCheckout, packCheckout } from './packing/pack-checkout.ts';
import { previewName } from './preview-name.ts';
import { refuseFullPreviews } from './preview-room.ts';
import { queuePending } from './statuses/queue-status.ts';

export interface FetchDeps
  extends Pick<
    Deps,
    | 'addresses'
    | 'config'
    | 'db'
    | 'deployQueued'
    | 'now'
    | 'repositoriesChanged'
    | 'sealer'
    | 'spool'
    | 'uploadLimits'
  > {
  readonly log: Log;
}

/**
 * Fetches the newest commit of a branch that is leased to `worker`, and queues a deploy of it, as of any upload. In one
 * transaction with the deploy the lease ends, so that no commit is deployed twice. Rejects with what problemOf puts into
 * words, with ApiError where the deploy is refused, and with the signal's reason; then the lease is not ended.
 */
export async function deployBranch(
  deps: FetchDeps,
  { repository, branch }: LeasedBranch,
  worker: string,
  signal: AbortSignal,
): Promise<void> {
  const { config, db, spool } = deps;
  const project = await findProjectById(db, repository.project_id);
  if (!project) return;
  const preview = branch.name === repository.branch ? undefined : previewName(branch.name);
  if (preview !== undefined) await refuseFullPreviews(db, project, preview);
  const { maxBytes, maxFiles, seconds } = config.git;
  const fetched = await fetchBranch(
    openRepository(deps, repository),
    branch.name,
    { maxBytes, maxFiles, seconds },
    gitSettings(deps),
    signal,
  );
  const path = spool.newPath();
  try {
    const { hash } = fetched.commit;
    // The branch went on and back while it was fetched, or a check was faster.
    if (hash === branch.tried) return await endSame(deps, branch, worker, hash);
    const limits = uploadLimitsOf(deps);
    const task = { root: fetched.directory, folder: repository.folder, limits, to: path };
    const packed = await packCheckout(task, signal);
    const upload = await uploadOf(path, packed, repository, config.deploys.uploadBytes);
    await queue(deps, { project, repository, branch, preview, worker, fetched, packed, upload });
  } finally {
    await fetched.release();
    await rm(path, { force: true });
  }
  deps.repositoriesChanged();
}

const uploadLimitsOf = ({ config: { deploys } }: FetchDeps) => ({
  bytes: deploys.uploadBytes,
  unpackedBytes: deploys.unpackedBytes,
  files: deploys.archiveFiles,
});

/** Throws BranchError where the archive is larger than an upload may be. */
async function uploadOf(
  path: string,
  { name }: PackedCheckout,
  { folder, url }: RepositoryRow,
  most: number,
): Promise<Upload> {
  const { size } = await stat(path);
  if (size > most) throw new BranchError('folder_unusable', uploadTooLarge(most, size).message);
  const upload = await readUpload({ path, size }, encodeURIComponent(name));
  return upload.kind === 'document' ? upload : { ...upload, name: placeOf(url, folder) };
}

const MAX_PLACE_LENGTH = 200;

/** What people know in place of the archive, which nobody made: `ada/pets`, or `ada/pets/docs` for a folder of it. */
function placeOf(url: string, folder: string): string {
  // An address with a broken escape is none of a repository.
  const path = decodeURIComponent(new URL(url).pathname)
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  const names = [...path.split('/').slice(-2), ...folder.split('/')].filter((name) => name !== '');
  return prefix(names.join('/'), MAX_PLACE_LENGTH);
}

interface Queued {
  readonly project: ProjectRow;
  readonly repository: RepositoryRow;
  readonly branch: RepositoryBranchRow;
  /** The name of its preview; undefined: it goes live. */
  readonly preview: string | undefined;
  readonly worker: string;
  readonly fetched: FetchedBranch;
  readonly packed: PackedCheckout;
  readonly upload: Upload;
}

async function queue(deps: FetchDeps, queued: Queued): Promise<void> {
  const { project, repository, branch, preview, worker, fetched, packed, upload } = queued;
  const { commit } = fetched;
  const record = async (trx: Trx, deploy: DeployRow) => {
    const current = await findRepositoryById(trx, repository.id);
    const row = await findBranchRow(trx, repository.id, branch.name);
    if (!row || current?.revision !== repository.revision)
      throw conflict('The repository was changed while it was fetched.');
    const at = deps.now();
    const end = { ...endOf(row, branch, commit.hash, at), deploy_id: deploy.id };
    if (!(await endBranchLease(trx, row, worker, end)))
      throw conflict('Another process fetches the branch by now.');
    for (const { message } of fetched.notices)
      await appendLog(trx, deploy.id, at, 'warning', message);
    for (const note of packed.notes) await appendLog(trx, deploy.id, at, 'info', note);
    await queuePending(trx, at, deps, current, project, deploy);
  };
  await queueDeploy(
    deps,
    project,
    upload,
    {
      activate: preview === undefined,
      branch: preview,
      version: undefined,
      strict: project.strict === 1,
      document: packed.document,
      commit: commitOf(commit, branch, repository, packed),
      allowBreaking: undefined,
      repository: {
        id: repository.id,
        account: repository.created_by_email,
        received: `Fetched ${commit.hash.slice(0, 12)} of the branch ${branch.name}`,
        record,
      },
      // It is connected, and nothing else gives the right: `record` looks that up.
      admit: async () => {},
    },
    REPOSITORY,
  );
}

/** What becomes of a branch's row once the commit `hash` was tried. `before`: the row as it was leased. */
function endOf(row: RepositoryBranchRow, before: RepositoryBranchRow, hash: string, at: number) {
  // A check saw another commit while this one was fetched.
  const isBehind = row.head !== before.head && row.head !== hash;
  return {
    ...{ tried: hash, problem: null, attempts: 0 },
    head: isBehind ? row.head : hash,
    next_attempt_at: isBehind ? at : null,
  };
}

async function endSame(
  { db, now }: FetchDeps,
  branch: RepositoryBranchRow,
  worker: string,
  hash: string,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await findBranchRow(trx, branch.repository_id, branch.name);
    if (row) await endBranchLease(trx, row, worker, endOf(row, branch, hash, now()));
  });
}

/** The commit as deploys show it; without its branch where that has a name which cannot be shown. */
function commitOf(
  { hash, author, message }: Commit,
  { name }: RepositoryBranchRow,
  { access, url, provider }: RepositoryRow,
  { folder }: PackedCheckout,
) {
  const query = {
    commit: hash,
    'commit-author': author,
    'commit-message': message,
    repository: url,
    'repository-folder': folder || '.',
    ...(provider !== 'other' && { 'repository-host': provider as 'github' }),
    // What is read without a key may be read by all: pages lead there.
    ...(access === 'none' && { 'repository-public': 'true' as const }),
  };
  try {
    return readCommit({ ...query, 'commit-branch': name });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return readCommit({ commit: hash, 'commit-author': author, 'commit-message': message });
  }
}
