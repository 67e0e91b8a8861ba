import { AuditList } from '../audit/audit-list.tsx';
import { can, REASONS } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.ts';
import { Alert } from '../ui/alert.tsx';
import { Page } from '../ui/page.tsx';

export function AuditPage() {
  const project = useProject();
  return (
    <Page
      title="Audit log"
      documentTitle={`Audit log · ${project.name}`}
      description="Every change to this project: who, what, when, from where."
    >
      {can(project, 'audit.read') ? (
        <AuditList slug={project.slug} />
      ) : (
        <Alert>{REASONS['audit.read']}</Alert>
      )}
    </Page>
  );
}
