import { useQuery } from '@tanstack/react-query';
import { can } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { siteAccessQuery } from '../queries/site-access.ts';
import { Alert } from '../ui/alert.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { AccountsCard } from './accounts-card.tsx';
import { KeysCard } from './keys-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { PreviewCard } from './preview-card.tsx';
import { PrivateCard } from './private-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

/** Who may read the sites of the project. */
export function AccessPage() {
  const project = useProject();
  const query = useQuery(siteAccessQuery(project.slug));
  const isOwner = can(project, 'project.update');
  return (
    <ProjectPage
      title="Access"
      description="Who may read the site, its previews, and what programs fetch of them."
    >
      <div className="grid gap-5">
        {!isOwner && <Alert>Only an owner of the project can change this.</Alert>}
        <QueryView query={query}>
          {(access) => (
            <>
              <PrivateCard access={access} isOwner={isOwner} />
              <AccountsCard access={access} isOwner={isOwner} />
              <PasswordCard access={access} isOwner={isOwner} />
              <KeysCard access={access} isOwner={isOwner} />
              <SessionsCard access={access} isOwner={isOwner} />
              <PreviewCard access={access} />
            </>
          )}
        </QueryView>
      </div>
    </ProjectPage>
  );
}
