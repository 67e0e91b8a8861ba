import { can, REASONS } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
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

const EXAMPLE = `title: Petstore
openapi: openapi.yaml     # optional
navigation:               # optional
  - index.md
  - guides/start.md`;

/** What a folder of guides holds, for those who have none yet. */
function GuidesFolder() {
  return (
    <details>
      <summary className="w-fit rounded-sm font-medium">What goes into a folder of guides</summary>
      <p className="mt-2 mb-3 text-muted">
        Markdown pages, their images, and beside them a file docs.yaml. Only its title is required.
      </p>
      <CodeBlock code={EXAMPLE} what="example of docs.yaml" />
    </details>
  );
}
