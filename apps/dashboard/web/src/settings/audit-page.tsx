import { AuditList } from '../audit/audit-list.tsx';
import { useProject } from '../projects/project-context.tsx';
import { SettingsPage } from './settings-page.tsx';

export function AuditPage() {
  const { slug } = useProject();
  return (
    <SettingsPage
      title="Audit log"
      permission="audit.read"
      description="Every change to this project: who, what, when, from where."
    >
      <AuditList slug={slug} />
    </SettingsPage>
  );
}
