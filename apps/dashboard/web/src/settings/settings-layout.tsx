import type { ComponentProps } from 'react';
import type { Permission } from '../../../server/src/accounts/permissions.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { Alert } from '../ui/alert.tsx';
import { SideNav } from '../ui/side-nav.tsx';

const SECTIONS = [
  ['General', '/projects/$slug/settings', 'project.update'],
  ['Domains', '/projects/$slug/settings/domains', 'domain.read'],
  ['Allowed changes', '/projects/$slug/settings/allowed-changes', 'deploy.read'],
  ['Repository', '/projects/$slug/settings/repository', 'repository.read'],
  ['Notifications', '/projects/$slug/settings/notifications', 'webhook.manage'],
  ['Members', '/projects/$slug/settings/members', 'member.read'],
  ['Plan', '/projects/$slug/settings/plan', 'project.read'],
  ['Tokens', '/projects/$slug/settings/tokens', 'token.manage'],
  ['Audit log', '/projects/$slug/settings/audit', 'audit.read'],
  ['Danger zone', '/projects/$slug/settings/danger', 'project.delete'],
] as const satisfies [string, string, Permission][];

export function SettingsLayout() {
  const project = useProject();
  const sections = SECTIONS.filter(([, , permission]) => can(project, permission)).map(
    ([label, to]) => ({
      label,
      to,
      params: { slug: project.slug },
      activeOptions: { exact: to === '/projects/$slug/settings' },
    }),
  );
  return <SideNav label="Settings" sections={sections} />;
}

interface SettingsPageProps extends ComponentProps<typeof ProjectPage> {
  /** The permission that the page needs; without it, it only shows the reason. */
  readonly permission: keyof typeof REASONS;
}

/** A page of the settings that only some members may see. */
export function SettingsPage({ permission, actions, children, ...page }: SettingsPageProps) {
  const isAllowed = can(useProject(), permission);
  return (
    <ProjectPage {...page} actions={isAllowed && actions}>
      {isAllowed ? children : <Alert>{REASONS[permission]}</Alert>}
    </ProjectPage>
  );
}
