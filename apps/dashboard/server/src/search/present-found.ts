import { commitOf } from '../deploys/commit/deploy-commit.ts';
import { instant } from '../schema-types.ts';
import type { FoundDeployRow } from '../store/search.ts';
import type { FoundDeploy } from './search.ts';

/** A deploy that was found, as the response has it. */
export function presentFoundDeploy(row: FoundDeployRow): FoundDeploy {
  const commit = commitOf(row);
  return {
    project: { slug: row.slug, name: row.name },
    id: row.id,
    number: row.number,
    state: row.state,
    branch: row.branch,
    version: row.version,
    title: row.message ?? commit?.message ?? row.source_name,
    commit: commit?.hash ?? null,
    author: commit?.author ?? row.created_by_name ?? row.created_by_email,
    createdAt: instant(row.created_at),
  };
}
