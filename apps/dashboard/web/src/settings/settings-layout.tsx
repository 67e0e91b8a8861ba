import { Link, Outlet } from '@tanstack/react-router';
import { can } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.ts';
import { SIDE_LINK, SIDE_LINK_ACTIVE, SideNav } from '../ui/side-nav.tsx';

const SECTIONS = [
  { to: '/projects/$slug/settings', label: 'General', permission: 'project.update' },
  { to: '/projects/$slug/settings/domains', label: 'Domains', permission: 'domain.read' },
  {
    to: '/projects/$slug/settings/notifications',
    label: 'Notifications',
    permission: 'webhook.manage',
  },
  { to: '/projects/$slug/settings/members', label: 'Members', permission: 'member.read' },
  { to: '/projects/$slug/settings/plan', label: 'Plan', permission: 'project.read' },
  { to: '/projects/$slug/settings/tokens', label: 'Tokens', permission: 'token.manage' },
  { to: '/projects/$slug/settings/audit', label: 'Audit log', permission: 'audit.read' },
  { to: '/projects/$slug/settings/danger', label: 'Danger zone', permission: 'project.delete' },
] as const;

export function SettingsLayout() {
  const project = useProject();
  const sections = SECTIONS.filter(({ permission }) => can(project, permission));
  return (
    <SideNav
      label="Settings"
      nav={sections.map(({ to, label }) => (
        <li key={to}>
          <Link
            to={to}
            params={{ slug: project.slug }}
            activeOptions={{ exact: to === '/projects/$slug/settings' }}
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
