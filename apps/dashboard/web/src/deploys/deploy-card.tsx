import { can, REASONS } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { GuidesFolder } from './guides-folder.tsx';
import { HowToDeploy } from './how-to-deploy.tsx';
import { UploadArea } from './upload-area.tsx';

/** How to deploy: with a file here, or from elsewhere. */
export function DeployCard() {
  const project = useProject();
  if (!can(project, 'deploy.create')) return <Alert>{REASONS['deploy.create']}</Alert>;
  const isFirst = project.latest === null;
  return (
    <Card
      title={isFirst ? 'Deploy your first document' : 'Deploy'}
      description={
        isFirst &&
        'An OpenAPI document becomes a reference with search and a try-it panel; an archive may bring Markdown guides, too.'
      }
    >
      <div className="grid items-start gap-x-8 gap-y-6 lg:grid-cols-2">
        <div className="grid min-w-0 grid-cols-1 gap-5">
          <UploadArea />
          <GuidesFolder />
        </div>
        <HowToDeploy />
      </div>
    </Card>
  );
}
