import { createContext, useContext } from 'react';
import type { Project } from '../../../server/src/projects/project.ts';

export const ProjectContext = createContext<Project | undefined>(undefined);

/** The project that the page is about. */
export function useProject(): Project {
  const project = useContext(ProjectContext);
  if (!project) throw new Error('useProject outside of the pages of a project');
  return project;
}
