import type { Permission } from '../../../server/src/accounts/permissions.ts';

/** The pages of a project's settings: their names, where they are, and who sees them. */
export const SECTIONS = [
  ['General', '/projects/$slug/settings', 'project.update'],
  ['Access', '/projects/$slug/settings/access', 'project.read'],
  ['Domains', '/projects/$slug/settings/domains', 'domain.read'],
  ['Allowed changes', '/projects/$slug/settings/allowed-changes', 'deploy.read'],
  ['Repository', '/projects/$slug/settings/repository', 'repository.read'],
  ['Notifications', '/projects/$slug/settings/notifications', 'webhook.manage'],
  ['Members', '/projects/$slug/settings/members', 'member.read'],
  ['Plan', '/projects/$slug/settings/plan', 'project.read'],
  ['Tokens', '/projects/$slug/settings/tokens', 'token.manage'],
  ['Audit log', '/projects/$slug/settings/audit', 'audit.read'],
  ['Danger zone', '/projects/$slug/settings/danger', 'project.delete'],
] as const satisfies [string, string, Permission][];
