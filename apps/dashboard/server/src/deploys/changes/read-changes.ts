import type { Deps } from '../../deps.ts';
import { findDeployChanges } from '../../store/deploy-changes.ts';
import { findDeploy } from '../../store/deploys.ts';
import type { ProjectRow } from '../../store/projects.ts';
import type { DeployChanges } from '../deploy.ts';
import { readDeploy } from '../deploys.ts';
import { listWithExceptions } from '../exceptions/apply-exceptions.ts';
import { NO_CHANGES } from './deploy-change.ts';
import { comparisonOf } from './hold-back.ts';

/**
 * The changes of a deploy, JSON of DeployChanges: the list is passed on as it is stored, with every digit of its numbers.
 * Throws ApiError where there is no such deploy.
 */
export async function readChanges(
  deps: Pick<Deps, 'db' | 'addresses' | 'now'>,
  project: ProjectRow,
  id: string,
): Promise<string> {
  const { db, addresses } = deps;
  const { deploy, view } = await readDeploy(deps, project, id);
  const { exceptions } = view;
  const comparison = comparisonOf(deploy, exceptions);
  const row = await findDeployChanges(db, id);
  const against = comparison?.against;
  const other = against && (await findDeploy(db, project.id, against.id));
  const rest: Omit<DeployChanges, 'changes'> = {
    summary: comparison?.changes ?? null,
    leftOut: row?.left_out ?? 0,
    comparedWith: against
      ? {
          ...against,
          url: other?.artifact_hash ? addresses().preview(project.slug, other.id) : null,
        }
      : null,
    problem: comparison?.problem ?? null,
  };
  const fields = JSON.stringify(rest).slice(0, -1);
  const { changes } = row ?? NO_CHANGES;
  const list = comparison ? listWithExceptions(changes, comparison, exceptions) : changes;
  return `${fields},"changes":${list}}`;
}
