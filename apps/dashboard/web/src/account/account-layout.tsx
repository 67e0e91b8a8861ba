import { useUser } from '../session/session.ts';
import { Main } from '../shell/shell.tsx';
import { SideNav } from '../ui/side-nav.tsx';

const exactly = { exact: true };
const SECTIONS = [
  { label: 'Profile', to: '/account', activeOptions: exactly },
  { label: 'Security', to: '/account/security', activeOptions: exactly },
  { label: 'Tokens', to: '/account/tokens', activeOptions: exactly },
] as const;
const OWNER_SECTIONS = [
  ...SECTIONS,
  { label: 'Installation’s audit log', to: '/account/audit', activeOptions: exactly },
  { label: 'DNS zone', to: '/account/zone', activeOptions: exactly },
] as const;

export function AccountLayout() {
  const { isInstallationOwner } = useUser();
  return (
    <Main>
      <SideNav label="Account" sections={isInstallationOwner ? OWNER_SECTIONS : SECTIONS} />
    </Main>
  );
}
