import { AuditList } from '../audit/audit-list.tsx';
import { useUser } from '../session/session.ts';
import { Alert } from '../ui/alert.tsx';
import { Page } from '../ui/page.tsx';

export function InstallationAuditPage() {
  const { isInstallationOwner } = useUser();
  return (
    <Page
      title="Installation’s audit log"
      description="Every change to every account and project: who, what, when, from where."
    >
      {isInstallationOwner ? (
        <AuditList />
      ) : (
        <Alert>Only the owner of the installation can read its audit log.</Alert>
      )}
    </Page>
  );
}
