import type { ExceptionsOfDay } from '@petstore/changes/exceptions.ts';
import type { BuildProblem, Finding } from '@petstore/site/build-log.ts';
import { levelOf } from '@petstore/site/rules.ts';
import type { Addresses } from '../addresses.ts';
import { instant, instantOrNull } from '../schema-types.ts';
import { type DeployRow, type ListedDeploy, listShownDeploys } from '../store/deploys.ts';
import type { ProjectRow } from '../store/projects.ts';
import type { Db } from '../store/schema.ts';
import { shortProblem } from './artifact.ts';
import { branchLabel } from './branch-name.ts';
import type { DeployComparison } from './changes/deploy-change.ts';
import { comparisonOf, type HeldReason, heldInWords } from './changes/hold-back.ts';
import { presentCommit } from './commit/deploy-commit.ts';
import type { Deploy, DeploySummary } from './deploy.ts';
import { readExceptions } from './exceptions/change-exceptions.ts';

/** What is to be known of a project to show its deploys. */
export interface DeployView {
  /** The ids of the deploys that readers find. */
  readonly shown: ReadonlySet<string>;
  readonly exceptions: ExceptionsOfDay;
}

export async function readDeployView(
  db: Db,
  project: Pick<ProjectRow, 'id' | 'live_deploy_id'>,
  at: number,
): Promise<DeployView> {
  return {
    shown: await listShownDeploys(db, project),
    exceptions: await readExceptions(db, project.id, at),
  };
}

/** A deploy as a list shows it. */
export function presentDeploy(
  row: ListedDeploy,
  project: ProjectRow,
  addresses: Addresses,
  { shown, exceptions }: DeployView,
): DeploySummary {
  const comparison = comparisonOf(row, exceptions);
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
    message: row.message,
    commit: presentCommit(row),
    createdBy: row.created_by_email,
    createdByName: row.created_by_name,
    createdAt: instant(row.created_at),
    startedAt: instantOrNull(row.started_at),
    finishedAt: instantOrNull(row.finished_at),
    activatedAt: instantOrNull(row.activated_at),
    isPruned: row.pruned_at !== null,
    changes: comparison?.changes ?? null,
    held: heldOf(row, comparison),
  };
}

/** Until it is live, cannot be put live any more, or all that it breaks is allowed. */
function heldOf(
  { held, activated_at, pruned_at }: ListedDeploy,
  comparison: DeployComparison | null,
): DeploySummary['held'] {
  if (held === null || activated_at !== null || pruned_at !== null) return null;
  const reason = held as HeldReason;
  if (reason === 'breaking' && comparison?.changes?.breaking === 0) return null;
  return { reason, message: heldInWords(reason, comparison) };
}

/** One deploy, with its problems and findings. */
export function presentDeployDetails(
  row: DeployRow,
  project: ProjectRow,
  addresses: Addresses,
  view: DeployView,
): Deploy {
  const comparison = comparisonOf(row, view.exceptions);
  const findings = JSON.parse(row.findings) as Finding[];
  const ofLevel = (level: string) => findings.filter(({ rule }) => levelOf(rule) === level);
  return {
    ...presentDeploy(row, project, addresses, view),
    strict: row.strict === 1,
    errors: (JSON.parse(row.errors) as BuildProblem[]).map(shortProblem),
    warnings: ofLevel('warning'),
    hints: ofLevel('hint'),
    comparedWith: comparison?.against ?? null,
    changesProblem: comparison?.problem ?? null,
  };
}
