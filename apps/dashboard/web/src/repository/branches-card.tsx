import { useMutation } from '@tanstack/react-query';
import type { Repository, RepositoryBranch } from '../../../server/src/repositories/repository.ts';
import { messageOf } from '../api.ts';
import { shortHash } from '../deploys/commit-card.tsx';
import { DeployLink } from '../deploys/deploy-link.tsx';
import { can } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/class-names.ts';
import { StateInColour } from '../ui/dot.tsx';
import { ExternalLink } from '../ui/external-link.tsx';
import { count } from '../ui/format.ts';
import { TEXT_LINK } from '../ui/text-link.ts';
import { toast } from '../ui/toasts.tsx';
import { WithCode } from '../ui/with-code.tsx';
import { checkRepository } from './repository-requests.ts';
import { Problem } from './state-card.tsx';
import { isAtWork, isProblem, stateLook } from './states.ts';

/** The branches with what became of their newest commits. */
export function BranchesCard({ repository }: { readonly repository: Repository }) {
  const { branches, branchesLeftOut, previewProblem } = repository;
  if (branches.length === 0) return null;
  return (
    <Card
      title="Branches"
      flush
      footer={
        branchesLeftOut > 0 &&
        `${count(branchesLeftOut, 'branch')}`.replace(/branchs$/, 'branches') +
          ' that changed longer ago are not listed.'
      }
    >
      {previewProblem && (
        <div className="border-line border-b px-4 py-3 sm:px-5">
          <Problem state={previewProblem} />
        </div>
      )}
      <ul className="divide-y divide-line" aria-label="Branches">
        {branches.map((branch) => (
          <BranchRow key={branch.name} branch={branch} above={repository.state.message} />
        ))}
      </ul>
    </Card>
  );
}

interface BranchRowProps {
  readonly branch: RepositoryBranch;
  /** What the page says already. */
  readonly above: string;
}

function BranchRow({ branch, above }: BranchRowProps) {
  const project = useProject();
  const { slug } = project;
  const { name, live, commit, commitUrl, state, deploy } = branch;
  const mayRetry =
    can(project, 'repository.check') && !isAtWork(state) && (isProblem(state) || deploy === null);
  const isTold = state.message !== above && (isProblem(state) || state.code === 'not_deployed');
  return (
    <li className="grid gap-1 px-4 py-3 sm:px-5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <div className="flex min-w-0 items-center gap-2">
          <span className="min-w-0 truncate font-medium" title={name}>
            {name}
          </span>
          {live && <Badge tone="positive">Live branch</Badge>}
        </div>
        <div className="flex items-center gap-3 text-[0.8125rem]">
          <StateInColour {...stateLook(state.code)} />
          {mayRetry && state.code !== 'held' && <DeployAgain branch={branch} />}
        </div>
      </div>
      <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-[0.8125rem] text-muted">
        {commit !== null && <CommitLink hash={commit} url={commitUrl} />}
        {deploy && (
          <>
            <span>
              {state.code === 'ok' ? 'deployed as' : 'deploy'}{' '}
              <DeployLink slug={slug} deploy={deploy} />
            </span>
            {state.code === 'ok' && !live && (
              <ExternalLink href={deploy.url} className={cx('truncate', TEXT_LINK)}>
                {hostOf(deploy.url)}
              </ExternalLink>
            )}
          </>
        )}
      </p>
      {isTold && (
        <p
          className={cx(
            'wrap-anywhere max-w-prose text-[0.8125rem]',
            stateLook(state.code).tone === 'negative' ? 'text-negative' : 'text-muted',
          )}
        >
          <WithCode>{`${state.message} ${state.remedy}`}</WithCode>
        </p>
      )}
    </li>
  );
}

function CommitLink({ hash, url }: { readonly hash: string; readonly url: string | null }) {
  const shown = <code className="font-mono">{shortHash(hash)}</code>;
  if (url === null) return <span title={hash}>{shown}</span>;
  return (
    <ExternalLink href={url} className={TEXT_LINK}>
      {shown}
    </ExternalLink>
  );
}

/** Deploys the newest commit of a branch, whatever became of it. */
function DeployAgain({ branch: { name, deploy } }: { readonly branch: RepositoryBranch }) {
  const { slug } = useProject();
  const again = useMutation({
    mutationFn: () => checkRepository(slug, name),
    onSuccess: () => toast(`The newest commit of ${name} is being deployed.`),
    onError: (error) => toast(messageOf(error), 'negative'),
  });
  return (
    <Button
      size="small"
      pending={again.isPending}
      aria-label={`${deploy ? 'Deploy again' : 'Deploy'}: ${name}`}
      onClick={() => again.mutate()}
    >
      {deploy ? 'Deploy again' : 'Deploy'}
    </Button>
  );
}
