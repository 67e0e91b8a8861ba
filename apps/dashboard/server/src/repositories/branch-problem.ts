import { GitError } from '@petstore/git/git-error.ts';
import { SecretError } from './git-access.ts';
import type { RepositoryProblem } from './problem.ts';

/** Why a repository or one of its branches is not deployed, apart from what packages/git says. */
export class BranchError extends Error {
  override name = 'BranchError';
  readonly code: RepositoryProblem['code'];

  constructor(code: RepositoryProblem['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** An error in the words of a state. One that nobody foresaw is the service's own. */
export function problemOf(error: unknown): Pick<RepositoryProblem, 'code' | 'message'> {
  if (error instanceof GitError || error instanceof BranchError) {
    const { code, message } = error;
    return { code, message };
  }
  if (error instanceof SecretError) return { code: 'secret_unreadable', message: error.message };
  return {
    code: 'service_failed',
    message: 'The dashboard failed, and not because of the repository.',
  };
}

/** Whether an error is the fault of nobody who could read it in a state. */
export function isUnforeseen(error: unknown): boolean {
  return problemOf(error).code === 'service_failed';
}
