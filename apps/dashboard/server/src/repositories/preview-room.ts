import { isPrintable } from '../accounts/account-input.ts';
import { MAX_BRANCH_LENGTH } from '../deploys/branch-name.ts';
import { PLANS } from '../projects/project.ts';
import { countBranchPreviews, findBranchPreview } from '../store/branch-previews.ts';
import type { ProjectRow } from '../store/projects.ts';
import type { Db } from '../store/schema.ts';
import { BranchError } from './branch-problem.ts';

/** Throws BranchError where a branch cannot have a preview, so that it is not fetched in vain. */
export async function refuseFullPreviews(
  db: Db,
  { id, plan }: ProjectRow,
  preview: string,
): Promise<void> {
  if (!isPrintable(preview, MAX_BRANCH_LENGTH) || preview === '.' || preview === '..')
    throw new BranchError(
      'branch_unusable',
      'The name of the branch has characters that a preview cannot have.',
    );
  if (await findBranchPreview(db, id, preview)) return;
  const { keptDeploys: most } = PLANS[plan];
  if ((await countBranchPreviews(db, id)) >= most)
    throw new BranchError(
      'previews_full',
      `This project has previews of ${most} branches, as many as its plan keeps.`,
    );
}
