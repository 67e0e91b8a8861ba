import type { Permission } from '../../../server/src/accounts/permissions.ts';
import type { Project } from '../../../server/src/projects/project.ts';

/** Whether the reader may do something here; the server says so, and checks it again. */
export function can(project: Project, permission: Permission): boolean {
  return project.you.can.includes(permission);
}

/** Why a control is disabled, for readers who lack the permission. */
export const REASONS = {
  'deploy.create': 'You are a viewer here. Editors and owners of the project deploy.',
  'deploy.activate':
    'You are a viewer here. Owners and editors of the project can put deploys live.',
  'deploy.confirm': 'Only an owner of the project can put it live.',
  'project.delete': 'Only an owner of the project can delete it.',
  'member.write': 'Only an owner of the project can invite, change and remove members.',
  'domain.verify':
    'You are a viewer here. Owners and editors of the project can check its domains.',
  'domain.manage': 'Only an owner of the project can add, change and remove its domains.',
  'webhook.manage': 'Only an owner of the project can see, add and remove its webhooks.',
  'repository.check':
    'You are a viewer here. Owners and editors of the project can have its repository asked.',
  'repository.manage': 'Only an owner of the project can connect and change its repository.',
  'token.manage': 'Only an owner of the project can see, make and revoke its tokens.',
  'audit.read': 'Only owners and editors of the project can read its audit log.',
} as const satisfies Partial<Record<Permission, string>>;
