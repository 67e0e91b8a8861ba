import type { ComponentProps } from 'react';
import { can, REASONS } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { Alert } from '../ui/alert.tsx';

interface SettingsPageProps extends ComponentProps<typeof ProjectPage> {
  /** What the reader must be allowed to, to see anything but the reason why not. */
  readonly permission: keyof typeof REASONS;
}

/** A page of the settings for some of the members: its actions and contents are for them alone. */
export function SettingsPage({ permission, actions, children, ...page }: SettingsPageProps) {
  const isAllowed = can(useProject(), permission);
  return (
    <ProjectPage {...page} actions={isAllowed && actions}>
      {isAllowed ? children : <Alert>{REASONS[permission]}</Alert>}
    </ProjectPage>
  );
}
