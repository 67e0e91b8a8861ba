import type { Row } from '../store/schema.ts';
import { commitOf } from './commit/deploy-commit.ts';

type Searched = Pick<
  Row<'deploys'>,
  | 'id'
  | 'number'
  | 'message'
  | 'source_commit'
  | 'branch'
  | 'version'
  | 'source_name'
  | 'created_by_email'
  | 'created_by_name'
>;

/** What a search finds a deploy by, in small letters, so that each database compares it the same. */
export function deploySearchText(deploy: Searched): string {
  const commit = commitOf(deploy);
  return [
    deploy.id,
    `#${deploy.number}`,
    deploy.message,
    commit?.message,
    commit?.author,
    commit?.hash,
    commit?.branch,
    deploy.branch,
    deploy.version,
    deploy.source_name,
    deploy.created_by_email,
    deploy.created_by_name,
  ]
    .filter((part) => part !== null && part !== undefined && part !== '')
    .join('\n')
    .toLowerCase();
}
