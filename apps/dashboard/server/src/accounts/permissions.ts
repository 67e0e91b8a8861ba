import type { Role } from '../store/schema.ts';
import type { Scope } from './scopes.ts';

interface Rule {
  readonly roles: readonly Role[];
  /** What a token must have been made for; null: no token may. */
  readonly scope: Scope | null;
}

const ALL = ['owner', 'editor', 'viewer'] as const;
const AUTHORS = ['owner', 'editor'] as const;
const OWNERS = ['owner'] as const;

/** What can be done in a project, and who may: for the routes and, through `you.can`, for the browser. */
export const PERMISSIONS = {
  'project.read': { roles: ALL, scope: 'read' },
  'deploy.read': { roles: ALL, scope: 'read' },
  'member.read': { roles: ALL, scope: 'read' },
  'deploy.create': { roles: AUTHORS, scope: 'deploy' },
  'deploy.activate': { roles: AUTHORS, scope: 'deploy' },
  'audit.read': { roles: AUTHORS, scope: 'read' },
  'domain.read': { roles: ALL, scope: 'read' },
  'domain.verify': { roles: AUTHORS, scope: 'domains' },
  'domain.manage': { roles: OWNERS, scope: 'domains' },
  'webhook.manage': { roles: OWNERS, scope: 'webhooks' },
  'project.update': { roles: OWNERS, scope: 'projects' },
  'project.delete': { roles: OWNERS, scope: 'delete' },
  'member.write': { roles: OWNERS, scope: 'members' },
  'token.manage': { roles: OWNERS, scope: null },
} as const satisfies Record<string, Rule>;

export type Permission = keyof typeof PERMISSIONS;

export function isAllowed(role: Role, permission: Permission): boolean {
  const { roles }: Rule = PERMISSIONS[permission];
  return roles.includes(role);
}
