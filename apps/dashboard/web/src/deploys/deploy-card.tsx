import type { Project } from '../../../server/src/projects/project.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { HowToDeploy } from './how-to-deploy.tsx';
import { UploadArea } from './upload-area.tsx';

/** How to deploy: with a file here, or from elsewhere. */
export function DeployCard({ project }: { readonly project: Project }) {
  const isAllowed = can(project, 'deploy.create');
  return (
    <Card
      title={project.live ? 'Deploy' : 'Deploy your first document'}
      description={
        project.live
          ? undefined
          : 'An OpenAPI document becomes a reference with search and a try-it panel; an archive may bring Markdown guides, too.'
      }
    >
      <div className="grid items-start gap-x-8 gap-y-6 lg:grid-cols-2">
        <div className="grid gap-3">
          {!isAllowed && <Alert>{REASONS['deploy.create']}</Alert>}
          <UploadArea slug={project.slug} disabled={!isAllowed} />
        </div>
        <HowToDeploy slug={project.slug} />
      </div>
    </Card>
  );
}
