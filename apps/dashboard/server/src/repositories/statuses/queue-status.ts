import { commitOf } from '../../deploys/commit/deploy-commit.ts';
import type { Deps } from '../../deps.ts';
import { putCommitStatus } from '../../store/commit-statuses.ts';
import type { DeployRow } from '../../store/deploys.ts';
import type { ProjectRow } from '../../store/projects.ts';
import { findRepositoryById, type RepositoryRow } from '../../store/repositories.ts';
import type { Trx } from '../../store/schema.ts';

type AddressDeps = Pick<Deps, 'addresses'>;

/** Queues that a deploy of a commit waits to be built. */
export async function queuePending(
  trx: Trx,
  at: number,
  deps: AddressDeps,
  repository: RepositoryRow,
  project: ProjectRow,
  deploy: DeployRow,
): Promise<void> {
  const commit = commitOf(deploy);
  if (!commit || !isTold(repository)) return;
  const page = `${pageOf(deps, project)}/deploys/${deploy.id}`;
  await putCommitStatus(
    trx,
    {
      ...{ repository_id: repository.id, commit_hash: commit.hash, branch: commit.branch ?? '' },
      ...{
        state: 'pending',
        description: `Deploy #${deploy.number} waits to be built.`,
        url: page,
      },
    },
    at,
  );
}

/** Queues what became of a deploy; nothing for one that is not of a repository. `url`: where to read more. */
export async function queueEnded(
  trx: Trx,
  at: number,
  deploy: DeployRow,
  ended: { state: 'success' | 'failure'; description: string; url: string },
): Promise<void> {
  const commit = commitOf(deploy);
  if (deploy.repository_id === null || !commit) return;
  const repository = await findRepositoryById(trx, deploy.repository_id);
  if (!repository || !isTold(repository)) return;
  const of = { repository_id: repository.id, commit_hash: commit.hash };
  await putCommitStatus(trx, { ...of, branch: commit.branch ?? '', ...ended }, at);
}

/** Queues that a commit is not deployed, and why. */
export async function queueRefused(
  trx: Trx,
  at: number,
  deps: AddressDeps,
  repository: RepositoryRow,
  project: ProjectRow,
  { commit, branch, message }: { commit: string; branch: string; message: string },
): Promise<void> {
  if (!isTold(repository)) return;
  const url = `${pageOf(deps, project)}/settings/repository`;
  const of = { repository_id: repository.id, commit_hash: commit, branch };
  await putCommitStatus(trx, { ...of, state: 'failure', description: message, url }, at);
}

const isTold = ({ statuses, access, provider }: RepositoryRow) =>
  statuses === 1 && access === 'token' && provider !== 'other';

const pageOf = ({ addresses }: AddressDeps, { slug }: ProjectRow) =>
  `${addresses().dashboard}/projects/${encodeURIComponent(slug)}`;
