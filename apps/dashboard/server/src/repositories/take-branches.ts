import { SYSTEM } from '../audit/actor.ts';
import { endPreview } from '../deploys/branch-previews.ts';
import { writeAudit } from '../store/audit.ts';
import { findBranchPreview } from '../store/branch-previews.ts';
import type { RepositoryRow } from '../store/repositories.ts';
import {
  deleteBranchRow,
  insertBranchRows,
  listBranchRows,
  type RepositoryBranchRow,
  retryBranches,
  updateBranchRow,
} from '../store/repository-branches.ts';
import type { RowChange, Trx } from '../store/schema.ts';
import { recordSiteChange } from '../store/sites.ts';
import { previewName } from './preview-name.ts';
import { problemJson } from './problem.ts';

/** Of a repository with more branches than these, the one that goes live is followed alone. */
const MAX_BRANCHES = 2_000;

/**
 * Notes which commits are new, so that they are fetched, and ends the previews of branches that are gone. `branches`: by
 * name, the newest commit of each; the one that goes live is among them. Returns what changes in the repository's row.
 * The project must be locked.
 */
export async function takeBranches(
  trx: Trx,
  repository: RepositoryRow & { readonly branch: string },
  branches: ReadonlyMap<string, string>,
  at: number,
): Promise<RowChange<'repositories'>> {
  const rows = new Map((await listBranchRows(trx, repository.id)).map((row) => [row.name, row]));
  const live = repository.branch;
  // What failed with the host is tried again with it.
  if (repository.problem !== null) await retryBranches(trx, repository.id, at);
  await takeBranch(trx, repository, rows.get(live), live, branches.get(live) ?? '', at, true);
  if (repository.previews === 0) return { preview_problem: null };
  if (branches.size > MAX_BRANCHES + 1) {
    const message = `The repository has ${branches.size.toLocaleString('en')} branches, and previews are made of repositories with ${MAX_BRANCHES.toLocaleString('en')} at most. The branch ${live} is deployed all the same.`;
    const problem = { code: 'too_many_branches', message } as const;
    return { preview_problem: problemJson(problem, at, repository.preview_problem) };
  }
  const others = [...branches].filter(([name]) => name !== live);
  const isNew = repository.listed_at !== null;
  const inserted: RepositoryBranchRow[] = [];
  for (const [name, head] of others) {
    const row = rows.get(name);
    if (row) await takeBranch(trx, repository, row, name, head, at, false);
    // What was there when the repository was connected waits for its next commit.
    else
      inserted.push({ ...rowOf(repository, name, head, at), next_attempt_at: isNew ? at : null });
  }
  await insertBranchRows(trx, inserted);
  let endedPreviews = 0;
  for (const row of rows.values()) {
    if (row.name === live || branches.has(row.name)) continue;
    if (await dropBranch(trx, repository, row, at)) endedPreviews++;
  }
  if (endedPreviews > 0) await recordSiteChange(trx, repository.project_id, at);
  return { preview_problem: null, listed_at: repository.listed_at ?? at };
}

const rowOf = (
  { id }: RepositoryRow,
  name: string,
  head: string,
  at: number,
): RepositoryBranchRow => ({
  repository_id: id,
  name,
  head,
  tried: null,
  deploy_id: null,
  problem: null,
  attempts: 0,
  next_attempt_at: at,
  leased_by: null,
  leased_until: null,
  changed_at: at,
});

async function takeBranch(
  trx: Trx,
  repository: RepositoryRow,
  row: RepositoryBranchRow | undefined,
  name: string,
  head: string,
  at: number,
  isLive: boolean,
): Promise<void> {
  if (!row) return insertBranchRows(trx, [rowOf(repository, name, head, at)]);
  if (row.head !== head) {
    const due = { problem: null, attempts: 0, next_attempt_at: at };
    await updateBranchRow(trx, row, { head, changed_at: at, ...due });
    return;
  }
  // It goes live since an owner chose it, and was never deployed so far.
  const waits = isLive && row.tried === null && row.next_attempt_at === null;
  if (waits) await updateBranchRow(trx, row, { next_attempt_at: at });
}

/** Whether it ended a preview. */
async function dropBranch(
  trx: Trx,
  { project_id }: RepositoryRow,
  row: RepositoryBranchRow,
  at: number,
): Promise<boolean> {
  await deleteBranchRow(trx, row);
  // Of a branch that was never deployed from here, somebody else has made the preview.
  if (row.deploy_id === null) return false;
  const branch = previewName(row.name);
  const preview = await findBranchPreview(trx, project_id, branch);
  if (!preview) return false;
  await endPreview(trx, preview, at);
  await writeAudit(trx, at, SYSTEM, {
    action: 'preview.end',
    projectId: project_id,
    target: branch,
    details: { reason: 'the branch is gone from the repository' },
  });
  return true;
}
