import { type ComponentProps, createContext, useContext } from 'react';
import type { Project } from '../../../server/src/projects/project.ts';
import { Page } from '../ui/page.tsx';

export const ProjectContext = createContext<Project | undefined>(undefined);

/** The project that the page is about. */
export function useProject(): Project {
  const project = useContext(ProjectContext);
  if (!project) throw new Error('useProject outside of the pages of a project');
  return project;
}

/** A page of a project, with the project's name in the browser's tab. */
export function ProjectPage({ documentTitle, title, ...page }: ComponentProps<typeof Page>) {
  const { name } = useProject();
  return <Page {...page} title={title} documentTitle={`${documentTitle ?? title} · ${name}`} />;
}
