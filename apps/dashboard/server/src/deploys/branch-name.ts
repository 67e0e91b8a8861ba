import { hash } from 'node:crypto';
import { isPrintable } from '../accounts/account-input.ts';
import { idOfBytes } from '../accounts/secrets.ts';
import { invalidRequest } from '../api-error.ts';

export const MAX_BRANCH_LENGTH = 100;

/** Throws ApiError for text that cannot be a branch's name. */
export function checkBranch(branch: string): void {
  if (!isPrintable(branch, MAX_BRANCH_LENGTH)) {
    throw invalidRequest(
      `branch must be 1 to ${MAX_BRANCH_LENGTH} characters long, without control characters, such as feature-x; got ${[...branch].length} characters.`,
    );
  }
  // In a path they would mean another address (WHATWG URL, section 4.4).
  if (branch === '.' || branch === '..') {
    throw invalidRequest(`branch must not be ${branch}, which has a meaning in addresses.`);
  }
}

/** In a label of a preview: with a slug, two dashes and a dash between, they fill the 63 characters of RFC 1035. */
const NAME_LENGTH = 10;
const MARK_LENGTH = 10;

/**
 * What a branch's host name has after the slug, such as `feature-x-q4hw2xk7ab`: the same for as long as there is the
 * project, and another one for every other branch. The project's random id makes it as hard to guess as a deploy's own
 * address. It always has a dash, and a deploy's id never does.
 */
export function branchLabel(projectId: string, branch: string): string {
  const name = branch
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, NAME_LENGTH)
    .replace(/-$/, '');
  const digest = hash('sha256', `${projectId}\0${branch}`, 'buffer');
  return `${name || 'branch'}-${idOfBytes(digest.subarray(0, MARK_LENGTH))}`;
}
