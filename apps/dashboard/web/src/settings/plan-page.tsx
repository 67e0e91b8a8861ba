import { formatBytes } from '@petstore/service/text.ts';
import { useQuery } from '@tanstack/react-query';
import type { PlanLimits, Project } from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { plansQuery, projectQuotasQuery } from '../queries/quotas.ts';
import { queryClient, showChanged } from '../query-client.ts';
import { StoredDeploysCard } from '../quotas/stored-deploys-card.tsx';
import { UsageCard } from '../quotas/usage-card.tsx';
import { useUser } from '../session/session.ts';
import { Alert } from '../ui/alert.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Confirm } from '../ui/form-dialog.tsx';
import { count } from '../ui/format.ts';
import { Check, Minus } from '../ui/icons.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { toast } from '../ui/toasts.tsx';

export function PlanPage() {
  const project = useProject();
  const { isInstallationOwner } = useUser();
  const query = useQuery(plansQuery);
  const usage = useQuery(projectQuotasQuery(project));
  return (
    <ProjectPage title="Plan" description="What this project may use of the installation.">
      <div className="grid gap-5">
        <Alert>
          {isInstallationOwner
            ? 'You own the installation, so you set the plan of every project. Nothing is charged here.'
            : 'The plan is set by the owner of this installation: ask them for another. Nothing is charged here.'}
        </Alert>
        <QueryView query={query} skeleton={<Skeleton className="h-60" />}>
          {(plans) => (
            <ul className="grid gap-4 lg:grid-cols-3">
              {plans.map((limits) => (
                <PlanCard
                  key={limits.plan}
                  limits={limits}
                  project={project}
                  canChange={isInstallationOwner}
                />
              ))}
            </ul>
          )}
        </QueryView>
        <UsageCard
          title="In use"
          description="Each content of the kept deploys counts once, as it is stored; uploads count until they are built."
          query={usage}
        />
        <StoredDeploysCard />
      </div>
    </ProjectPage>
  );
}

interface PlanCardProps {
  readonly limits: PlanLimits;
  readonly project: Project;
  readonly canChange: boolean;
}

function PlanCard({ limits, project, canChange }: PlanCardProps) {
  const isCurrent = limits.plan === project.plan;
  return (
    <li
      className={cx(
        'flex flex-col rounded-lg border bg-surface p-5 shadow-card',
        isCurrent ? 'border-accent' : 'border-line',
      )}
    >
      <div className="flex items-center justify-between gap-2">
        <h2 className="font-semibold text-[0.9375rem] capitalize">{limits.plan}</h2>
        {isCurrent && <Badge tone="accent">Current</Badge>}
      </div>
      <ul className="mt-3 mb-5 grid gap-1.5">
        {allowances(limits).map(({ text, isNone }) => (
          <li key={text} className={cx('flex gap-2', isNone && 'text-muted')}>
            {isNone ? (
              <Minus className="mt-[3px] size-4 shrink-0" />
            ) : (
              <Check className="mt-[3px] size-4 shrink-0 text-positive" />
            )}
            {text}
          </li>
        ))}
      </ul>
      {canChange && !isCurrent && (
        <div className="mt-auto">
          <ChangeButton limits={limits} project={project} />
        </div>
      )}
    </li>
  );
}

function ChangeButton({ limits, project }: Omit<PlanCardProps, 'canChange'>) {
  const { plan } = limits;
  const { slug, name } = project;
  const title = capitalized(plan);
  const run = async () => {
    const changed = await request<Project>('PUT', path`/projects/${slug}/plan`, { plan });
    showChanged(keys.project(slug), changed);
    void queryClient.invalidateQueries({ queryKey: keys.projects });
    void queryClient.invalidateQueries({ queryKey: keys.projectQuotas(slug) });
    toast(`“${name}” is now on the plan ${title}.`);
  };
  return (
    <Confirm
      title={`Change to ${title}?`}
      description={`“${name}” may then have: ${allowances(limits)
        .map(({ text }) => text.toLowerCase())
        .join(', ')}. It takes effect at once.`}
      action="Change the plan"
      run={run}
      trigger={
        <Button size="small" className="w-full">
          Change to {title}
        </Button>
      }
    />
  );
}

/** In the form of headings. */
function capitalized(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1);
}

interface Allowance {
  readonly text: string;
  readonly isNone?: boolean;
}

function allowances({
  members,
  keptDeploys,
  customDomains,
  bytes,
  buildsPerHour,
}: PlanLimits): Allowance[] {
  return [
    { text: members === null ? 'Any number of members' : count(members, 'member') },
    { text: `${count(keptDeploys, 'deploy')} to roll back to` },
    customDomains === 0
      ? { text: 'No custom domains', isNone: true }
      : {
          text:
            customDomains === null
              ? 'Any number of custom domains'
              : count(customDomains, 'custom domain'),
        },
    ...(bytes === null ? [] : [{ text: `${formatBytes(bytes)} of storage` }]),
    ...(buildsPerHour === null ? [] : [{ text: `${count(buildsPerHour, 'deploy')} an hour` }]),
  ];
}
