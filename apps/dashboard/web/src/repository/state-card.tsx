import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Repository } from '../../../server/src/repositories/repository.ts';
import type { RepositoryState } from '../../../server/src/repositories/repository-state.ts';
import { messageOf } from '../api.ts';
import { can } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { StateInColour } from '../ui/dot.tsx';
import { ExternalLink } from '../ui/external-link.tsx';
import { type FactRow, Facts } from '../ui/facts.tsx';
import { Confirm } from '../ui/form-dialog.tsx';
import { RefreshCw } from '../ui/icons.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { Ago, Until } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { WithCode } from '../ui/with-code.tsx';
import { ChangeDialog } from './repository-form.tsx';
import { acceptHostKeys, checkRepository } from './repository-requests.ts';
import { isAtWork, isProblem, stateLook } from './states.ts';

interface RepositoryProps {
  readonly repository: Repository;
}

/** Where a project is deployed from, how that goes, and what to do about it. */
export function StateCard({ repository }: RepositoryProps) {
  const project = useProject();
  const { state } = repository;
  const isOwner = can(project, 'repository.manage');
  return (
    <Card
      title={nameOf(repository)}
      actions={
        <div className="flex flex-wrap gap-2">
          {can(project, 'repository.check') && <CheckButton repository={repository} />}
          {isOwner && <ChangeDialog repository={repository} />}
        </div>
      }
    >
      <div className="grid gap-4">
        <div className="grid gap-2">
          <p role="status">
            <StateInColour {...stateLook(state.code)} />{' '}
            <span className="text-[0.8125rem] text-muted">
              since <Ago at={state.since} />
            </span>
          </p>
          {isProblem(state) ? (
            <Problem state={state} actions={<Remedies repository={repository} />} />
          ) : (
            <p className="max-w-prose text-muted">
              <WithCode>{`${state.message} ${state.remedy}`}</WithCode>
            </p>
          )}
        </div>
        <Facts rows={factsOf(repository)} />
      </div>
    </Card>
  );
}

/** What is wrong, and what to do about it. */
export function Problem({
  state,
  actions,
}: {
  readonly state: RepositoryState;
  readonly actions?: ReactNode;
}) {
  return (
    <Alert tone={stateLook(state.code).tone === 'negative' ? 'negative' : 'warning'}>
      <p className="wrap-anywhere font-medium">
        <WithCode>{state.message}</WithCode>
      </p>
      {state.remedy !== '' && <p className="mt-0.5 wrap-anywhere">{state.remedy}</p>}
      {actions}
    </Alert>
  );
}

/** Has the host asked now, and tries again what failed. */
function CheckButton({ repository: { state } }: RepositoryProps) {
  const { slug } = useProject();
  const check = useMutation({
    mutationFn: () => checkRepository(slug),
    // A problem is on the page.
    onSuccess: ({ state: now }) => {
      if (!isProblem(now)) toast(now.message);
    },
    onError: (error) => toast(messageOf(error), 'negative'),
  });
  const isBusy = check.isPending || state.code === 'checking';
  // What is held back is put live on the page of its deploy.
  const isToTry = isProblem(state) && state.code !== 'held';
  return (
    <Button
      size="small"
      variant={isToTry ? 'primary' : 'secondary'}
      pending={isBusy}
      onClick={() => check.mutate()}
    >
      {!isBusy && <RefreshCw />}
      {isToTry ? 'Try again' : 'Ask now'}
    </Button>
  );
}

/** The ways out that are more than trying again. */
function Remedies({ repository }: RepositoryProps) {
  const { slug, you } = useProject();
  const { state, branches, url } = repository;
  const live = branches.find((branch) => branch.live);
  if (state.code === 'host_key_changed' && you.can.includes('repository.manage'))
    return (
      <div className="mt-2">
        <Confirm
          danger
          trigger={<Button size="small">Accept the new key</Button>}
          title="Accept the new key?"
          description={`From now on the dashboard trusts the key that ${new URL(url).hostname} shows. Do it only if its fingerprint is the one that the host publishes: otherwise somebody in between could send files of their own.`}
          action="Accept the new key"
          run={() => acceptHostKeys(slug)}
        />
      </div>
    );
  if ((state.code === 'deploy_failed' || state.code === 'held') && live?.deploy)
    return (
      <p className="mt-1.5">
        <Link
          to="/projects/$slug/deploys/$id"
          params={{ slug, id: live.deploy.id }}
          className="rounded-sm font-medium underline underline-offset-3"
        >
          Open deploy #{live.deploy.number}
        </Link>
      </p>
    );
  return null;
}

function factsOf({
  url,
  webUrl,
  branch,
  folder,
  lastCheckedAt,
  nextCheckAt,
  state,
}: Repository): FactRow[] {
  return [
    {
      term: 'Address',
      value:
        webUrl === null ? (
          <span className="break-all">{url}</span>
        ) : (
          <ExternalLink href={webUrl} className={`${TEXT_LINK} break-all`}>
            {url}
          </ExternalLink>
        ),
    },
    { term: 'Live branch', value: branch ?? 'The repository’s default branch' },
    { term: 'Folder', value: folder === '' ? 'The whole repository' : folder },
    {
      term: 'Asked',
      value: (
        <>
          {lastCheckedAt === null ? 'Not yet' : <Ago at={lastCheckedAt} />}
          {nextCheckAt !== null && !isAtWork(state) && (
            <span className="text-muted">
              {' '}
              · again <Until at={nextCheckAt} />
            </span>
          )}
        </>
      ),
    },
  ];
}

/** `ada/pets` */
export function nameOf({ url }: Pick<Repository, 'url'>): string {
  const { pathname } = new URL(url);
  return pathname.replace(/^\/+/, '').replace(/\.git$/, '') || url;
}
