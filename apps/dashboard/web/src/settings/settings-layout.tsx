import type { ComponentProps } from 'react';
import { can, REASONS } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { Alert } from '../ui/alert.tsx';
import { SideNav } from '../ui/side-nav.tsx';
import { SECTIONS } from './sections.ts';

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
