import { useUser } from '../session/session.ts';
import { Main } from '../shell/shell.tsx';
import { Alert } from '../ui/alert.tsx';
import { Page } from '../ui/page.tsx';
import { SideNav } from '../ui/side-nav.tsx';
import { INSTALLATION_SECTIONS } from './sections.ts';

/** The pages about the whole installation, for its owner alone. */
export function InstallationLayout() {
  const { isInstallationOwner } = useUser();
  return (
    <Main>
      {isInstallationOwner ? (
        <SideNav label="Installation" sections={INSTALLATION_SECTIONS} />
      ) : (
        <NotForYou />
      )}
    </Main>
  );
}

function NotForYou() {
  return (
    <Page title="Installation">
      <Alert>Only the owner of the installation can see these pages.</Alert>
    </Page>
  );
}
