import { webAddress } from '@petstore/site/repository/web-address.ts';
import type { CommitQuery } from '../../deploys/commit/read-commit.ts';
import { commitOfCi } from './commit-of-ci.ts';
import { authorOf, branchOf, headOf, placeOf, type UploadPlace } from './commit-of-git.ts';

/** What the command's options say. */
export interface CommitOptions {
  /** A hash; false: the deploy has no commit. */
  readonly commit?: string | false;
  readonly commitAuthor?: string;
  readonly commitMessage?: string;
  readonly commitBranch?: string;
  readonly repository?: string;
  readonly repositoryFolder?: string;
}

/** The longest texts that are sent: the dashboard keeps less of them. */
const MAX_TEXT = 300;
const MAX_BRANCH = 255;

/**
 * The commit that an upload is of, as the query of the upload says it: by the options, by the variables of a CI's job,
 * and by git in the folder, in this order. `place`: where the upload is from; undefined for an archive. Never throws:
 * without git, without a repository or with an address that is none the deploy has less to say.
 */
export async function commitOfUpload(
  options: CommitOptions,
  env: Readonly<Record<string, string | undefined>>,
  place: UploadPlace | undefined,
): Promise<CommitQuery> {
  if (options.commit === false) return {};
  const folder = place?.folder ?? process.cwd();
  const head = await headOf(folder);
  const job = await commitOfCi(env);
  // The job may deploy the checkout of another repository.
  const ci = head === undefined || job?.checkedOut.includes(head) ? job?.query : undefined;
  const hash = options.commit ?? ci?.commit ?? head;
  if (hash === undefined) return {};
  const found: CommitQuery = {
    ...(head !== undefined && {
      ...(await branchOf(folder)),
      ...(place && (await placeOf(place))),
    }),
    ...ci,
    ...(head !== undefined && (await authorOf(folder, hash))),
    ...said(options),
    commit: hash,
  };
  // What the job says of its repository is of no other one.
  if (options.repository !== undefined) {
    delete found['repository-host'];
    delete found['repository-public'];
  }
  return sendable(found);
}

function said(options: CommitOptions): CommitQuery {
  const { commitAuthor, commitMessage, commitBranch, repository, repositoryFolder } = options;
  return {
    ...(commitAuthor !== undefined && { 'commit-author': commitAuthor }),
    ...(commitMessage !== undefined && { 'commit-message': commitMessage }),
    ...(commitBranch !== undefined && { 'commit-branch': commitBranch }),
    ...(repository !== undefined && { repository }),
    ...(repositoryFolder !== undefined && { 'repository-folder': repositoryFolder }),
  };
}

/** Without what the dashboard would refuse, and without the secrets that an address may have. */
function sendable(query: CommitQuery): CommitQuery {
  const { repository, 'commit-branch': branch = '', ...others } = query;
  const url = repository === undefined ? undefined : webAddress(repository);
  const texts = { author: query['commit-author'], message: query['commit-message'] };
  return {
    ...others,
    ...(texts.author !== undefined && { 'commit-author': texts.author.slice(0, MAX_TEXT) }),
    ...(texts.message !== undefined && { 'commit-message': texts.message.slice(0, MAX_TEXT) }),
    ...(branch !== '' && branch.length <= MAX_BRANCH && { 'commit-branch': branch }),
    ...(url !== undefined && { repository: url }),
  };
}
