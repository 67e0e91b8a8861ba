import type { Role } from '../store/schema.ts';

/** What can be done in a project, and who may: for the routes and, through `you.can`, for the browser. */
export const PERMISSIONS = {
  'project.read': ['owner', 'editor', 'viewer'],
  'deploy.read': ['owner', 'editor', 'viewer'],
  'member.read': ['owner', 'editor', 'viewer'],
  'deploy.create': ['owner', 'editor'],
  'deploy.activate': ['owner', 'editor'],
  'audit.read': ['owner', 'editor'],
  'domain.read': ['owner', 'editor', 'viewer'],
  'domain.verify': ['owner', 'editor'],
  'domain.manage': ['owner'],
  'webhook.manage': ['owner'],
  'project.update': ['owner'],
  'project.delete': ['owner'],
  'member.write': ['owner'],
  'token.manage': ['owner'],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof PERMISSIONS;

export function isAllowed(role: Role, permission: Permission): boolean {
  const roles: readonly Role[] = PERMISSIONS[permission];
  return roles.includes(role);
}

export function allowedTo(role: Role): Permission[] {
  return (Object.keys(PERMISSIONS) as Permission[]).filter((permission) =>
    isAllowed(role, permission),
  );
}
