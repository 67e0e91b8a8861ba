import { Link, Outlet } from '@tanstack/react-router';
import { useUser } from '../session/session.ts';
import { Main } from '../shell/shell.tsx';
import { SIDE_LINK, SIDE_LINK_ACTIVE, SideNav } from '../ui/side-nav.tsx';

const SECTIONS = [
  { to: '/account', label: 'Profile', forOwner: false },
  { to: '/account/security', label: 'Security', forOwner: false },
  { to: '/account/tokens', label: 'Tokens', forOwner: false },
  { to: '/account/audit', label: 'Installation’s audit log', forOwner: true },
] as const;

export function AccountLayout() {
  const { isInstallationOwner } = useUser();
  const sections = SECTIONS.filter(({ forOwner }) => !forOwner || isInstallationOwner);
  return (
    <Main>
      <SideNav
        label="Account"
        nav={sections.map(({ to, label }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: true }}
              className={SIDE_LINK}
              activeProps={SIDE_LINK_ACTIVE}
            >
              {label}
            </Link>
          </li>
        ))}
      >
        <Outlet />
      </SideNav>
    </Main>
  );
}
