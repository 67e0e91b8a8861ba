import { can, REASONS } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { Page } from '../ui/page.tsx';
import { DeleteDialog } from './delete-dialog.tsx';

export function DangerPage() {
  const project = useProject();
  return (
    <Page title="Danger zone" documentTitle={`Danger zone · ${project.name}`}>
      {can(project, 'project.delete') ? (
        <Card
          tone="negative"
          title="Delete this project"
          description="Its site and all previews go offline at once, and its deploys, members, tokens and invitations are gone. This cannot be undone."
        >
          <DeleteDialog project={project} />
        </Card>
      ) : (
        <Alert>{REASONS['project.delete']}</Alert>
      )}
    </Page>
  );
}
