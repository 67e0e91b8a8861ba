import { hash } from 'node:crypto';
import { idOfBytes } from '../accounts/secrets.ts';
import { MAX_BRANCH_LENGTH } from '../deploys/branch-name.ts';

const MARK_LENGTH = 10;

/** The name of a branch's preview: its own, or of a longer one the beginning and a mark that no other branch has. */
export function previewName(branch: string): string {
  const letters = [...branch];
  if (letters.length <= MAX_BRANCH_LENGTH) return branch;
  const mark = idOfBytes(hash('sha256', branch, 'buffer').subarray(0, MARK_LENGTH));
  return `${letters.slice(0, MAX_BRANCH_LENGTH - MARK_LENGTH - 1).join('')}-${mark}`;
}
