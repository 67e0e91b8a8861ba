import type { ComponentProps } from 'react';
import { can, REASONS } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.ts';
import { ProjectPage } from '../projects/project-page.tsx';
import { Alert } from '../ui/alert.tsx';

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
