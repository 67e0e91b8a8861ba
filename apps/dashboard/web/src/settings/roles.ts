import type { Member } from '../../../server/src/projects/project.ts';

export type RoleName = Member['role'];

export const ROLE_OPTIONS: readonly { readonly value: RoleName; readonly label: string }[] = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'editor', label: 'Editor' },
  { value: 'owner', label: 'Owner' },
];

/** In the form of sentences. */
export const WITH_ARTICLE: Record<RoleName, string> = {
  viewer: 'a viewer',
  editor: 'an editor',
  owner: 'an owner',
};
