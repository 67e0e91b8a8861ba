import type { ComponentProps } from 'react';
import { Page } from '../ui/page.tsx';
import { useProject } from './project-context.ts';

/** A page of a project, with the project's name in the browser's tab. */
export function ProjectPage({ documentTitle, title, ...page }: ComponentProps<typeof Page>) {
  const { name } = useProject();
  return <Page {...page} title={title} documentTitle={`${documentTitle ?? title} · ${name}`} />;
}
