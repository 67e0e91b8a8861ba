import { useQuery } from '@tanstack/react-query';
import type { Repository } from '../../../server/src/repositories/repository.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { repositoryQuery } from '../queries/repository.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { GitBranch } from '../ui/icons.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { AccessCard } from './access-card.tsx';
import { BranchesCard } from './branches-card.tsx';
import { DisconnectCard } from './disconnect-card.tsx';
import { OptionsCard } from './options-card.tsx';
import { ConnectDialog } from './repository-form.tsx';
import { StateCard } from './state-card.tsx';
import { WebhookCard } from './webhook-card.tsx';

/** The repository that a project is deployed from. */
export function RepositoryPage() {
  const query = useQuery(repositoryQuery(useProject().slug));
  return (
    <ProjectPage
      title="Repository"
      description="Each push to it is deployed: the live branch goes live, and other branches become previews."
    >
      <QueryView query={query}>
        {(repository) =>
          repository === null ? <NoRepository /> : <Connected repository={repository} />
        }
      </QueryView>
    </ProjectPage>
  );
}

function NoRepository() {
  const mayConnect = can(useProject(), 'repository.manage');
  return (
    <div className="grid gap-5">
      {!mayConnect && <Alert>{REASONS['repository.manage']}</Alert>}
      <Card flush>
        <Empty icon={GitBranch} title="Deploy by pushing" action={mayConnect && <ConnectDialog />}>
          Connect a repository of GitHub, GitLab, Gitea, Forgejo, Bitbucket or any other host. What
          is on its branch goes live, and each other branch has a preview of its own. No CI is
          needed.
        </Empty>
      </Card>
    </div>
  );
}

function Connected({ repository }: { readonly repository: Repository }) {
  const isOwner = can(useProject(), 'repository.manage');
  return (
    <div className="grid gap-5">
      {!isOwner && <Alert>{REASONS['repository.manage']}</Alert>}
      <StateCard repository={repository} />
      {repository.access === 'deploy_key' && <AccessCard repository={repository} />}
      <BranchesCard repository={repository} />
      {isOwner && <WebhookCard repository={repository} />}
      <OptionsCard repository={repository} />
      {isOwner && <DisconnectCard repository={repository} />}
    </div>
  );
}
