import { Link, Outlet } from '@tanstack/react-router';
import { useProject } from '../projects/project-context.ts';
import { SIDE_LINK, SIDE_LINK_ACTIVE, SideNav } from '../ui/side-nav.tsx';

const SECTIONS = [
  { to: '/projects/$slug/settings', label: 'General' },
  { to: '/projects/$slug/settings/members', label: 'Members' },
  { to: '/projects/$slug/settings/plan', label: 'Plan' },
  { to: '/projects/$slug/settings/tokens', label: 'Tokens' },
  { to: '/projects/$slug/settings/audit', label: 'Audit log' },
  { to: '/projects/$slug/settings/danger', label: 'Danger zone' },
] as const;

export function SettingsLayout() {
  const { slug } = useProject();
  return (
    <SideNav
      label="Settings"
      nav={SECTIONS.map(({ to, label }) => (
        <li key={to}>
          <Link
            to={to}
            params={{ slug }}
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
  );
}
