import type { BuildProblem, Finding } from '@petstore/site/build-log.ts';
import { levelOf } from '@petstore/site/rules.ts';
import type { Addresses } from '../addresses.ts';
import { instant, instantOrNull } from '../schema-types.ts';
import type { DeployRow, ListedDeploy } from '../store/deploys.ts';
import type { ProjectRow } from '../store/projects.ts';
import { shortProblem } from './artifact.ts';
import { branchLabel } from './branch-name.ts';
import { comparisonOf, type HeldReason, heldInWords } from './changes/hold-back.ts';
import { presentCommit } from './commit/deploy-commit.ts';
import type { Deploy, DeploySummary } from './deploy.ts';

/** A deploy as a list shows it. `shown`: the ids of those that readers find. */
export function presentDeploy(
  row: ListedDeploy,
  project: ProjectRow,
  addresses: Addresses,
  shown: ReadonlySet<string>,
): DeploySummary {
  return {
    id: row.id,
    number: row.number,
    state: row.state,
    live: shown.has(row.id),
    url: addresses.preview(project.slug, row.id),
    branch: row.branch,
    branchUrl:
      row.branch === null
        ? null
        : addresses.preview(project.slug, branchLabel(project.id, row.branch)),
    version: row.version,
    sourceName: row.source_name,
    commit: presentCommit(row),
    createdBy: row.created_by_email,
    createdAt: instant(row.created_at),
    startedAt: instantOrNull(row.started_at),
    finishedAt: instantOrNull(row.finished_at),
    activatedAt: instantOrNull(row.activated_at),
    isPruned: row.pruned_at !== null,
    changes: comparisonOf(row)?.changes ?? null,
    held: heldOf(row),
  };
}

/** Until it is live, or cannot be put live any more. */
function heldOf(row: ListedDeploy): DeploySummary['held'] {
  const { held, activated_at, pruned_at } = row;
  if (held === null || activated_at !== null || pruned_at !== null) return null;
  const reason = held as HeldReason;
  return { reason, message: heldInWords(reason, comparisonOf(row)) };
}

/** One deploy, with its problems and findings. */
export function presentDeployDetails(
  row: DeployRow,
  project: ProjectRow,
  addresses: Addresses,
  shown: ReadonlySet<string>,
): Deploy {
  const comparison = comparisonOf(row);
  const findings = JSON.parse(row.findings) as Finding[];
  const ofLevel = (level: string) => findings.filter(({ rule }) => levelOf(rule) === level);
  return {
    ...presentDeploy(row, project, addresses, shown),
    strict: row.strict === 1,
    errors: (JSON.parse(row.errors) as BuildProblem[]).map(shortProblem),
    warnings: ofLevel('warning'),
    hints: ofLevel('hint'),
    comparedWith: comparison?.against ?? null,
    changesProblem: comparison?.problem ?? null,
  };
}
