import type { Role } from '../store/schema/projects.ts';

interface Rule {
  readonly roles: readonly Role[];
  /** The scope that a token needs; null: no token may. */
  readonly scope: Scope | null;
  /** For people who choose a role: after “may”. */
  readonly words: string;
}

const ALL = ['owner', 'editor', 'viewer'] as const;
const AUTHORS = ['owner', 'editor'] as const;
const OWNERS = ['owner'] as const;

/**
 * What can be done in a project, and who may: for the routes, through `you.can` for the browser, and for people who choose
 * a role.
 */
export const PERMISSIONS = {
  'project.read': { roles: ALL, scope: 'read', words: 'see the project and its plan' },
  'deploy.read': { roles: ALL, scope: 'read', words: 'see deploys with their previews and logs' },
  'member.read': { roles: ALL, scope: 'read', words: 'see who is a member' },
  'deploy.create': { roles: AUTHORS, scope: 'deploy', words: 'upload deploys' },
  'deploy.activate': { roles: AUTHORS, scope: 'deploy', words: 'put deploys live and roll back' },
  'deploy.confirm': {
    roles: OWNERS,
    scope: 'deploy',
    words: 'put deploys live that break clients',
  },
  'exception.manage': {
    roles: OWNERS,
    scope: 'projects',
    words: 'allow changes that break clients',
  },
  'readers.read': { roles: ALL, scope: 'read', words: 'see what readers do' },
  'readers.manage': { roles: AUTHORS, scope: 'projects', words: 'delete what readers wrote' },
  'audit.read': { roles: AUTHORS, scope: 'read', words: 'read the audit log' },
  'domain.read': { roles: ALL, scope: 'read', words: 'see custom domains' },
  'domain.verify': { roles: AUTHORS, scope: 'domains', words: 'check custom domains' },
  'domain.manage': { roles: OWNERS, scope: 'domains', words: 'manage custom domains' },
  'webhook.manage': { roles: OWNERS, scope: 'webhooks', words: 'manage webhooks' },
  'repository.read': {
    roles: ALL,
    scope: 'read',
    words: 'see which repository it is deployed from',
  },
  'repository.check': {
    roles: AUTHORS,
    scope: 'deploy',
    words: 'look for new commits in the repository',
  },
  'repository.manage': {
    roles: OWNERS,
    scope: 'repositories',
    words: 'connect and change the repository',
  },
  'project.update': {
    roles: OWNERS,
    scope: 'projects',
    words: 'change the settings and the address',
  },
  'project.delete': { roles: OWNERS, scope: 'delete', words: 'delete the project' },
  'member.write': { roles: OWNERS, scope: 'members', words: 'manage members and invitations' },
  'token.manage': { roles: OWNERS, scope: null, words: 'manage API tokens of the project' },
} as const satisfies Record<string, Rule>;

export type Permission = keyof typeof PERMISSIONS;

export function isAllowed(role: Role, permission: Permission): boolean {
  const { roles }: Rule = PERMISSIONS[permission];
  return roles.includes(role);
}

/**
 * What an API token may be made for (RFC 6749, section 3.3), with the words for people. A token has its owner's rights
 * as far as its scopes go. No scope covers creating tokens, changing an account or making someone an owner: that takes
 * a session.
 */
export const SCOPES = {
  read: 'Read projects, deploys, domains, members and the audit log.',
  deploy: 'Upload deploys, put them live, and manage versions and previews of branches.',
  projects: 'Create projects, and change their names, addresses and settings.',
  domains: 'Add, verify, change and remove custom domains.',
  webhooks: 'See, add, change, test and remove webhooks, and send deliveries again.',
  repositories: 'Connect, change and disconnect the repositories that projects are deployed from.',
  members: 'Invite, change and remove editors and viewers.',
  delete: 'Delete projects.',
  installation: "Set plans and quotas, change groups, and read the whole installation's audit log.",
} as const;

export type Scope = keyof typeof SCOPES;

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

/** The default scopes of a token. */
export const DEFAULT_SCOPES = ['read', 'deploy'] as const satisfies readonly Scope[];

/** The default scopes of a token for all projects that is created at the command line. */
export const OPERATOR_SCOPES = [
  ...DEFAULT_SCOPES,
  'projects',
  'domains',
] as const satisfies readonly Scope[];

/** The scopes of a token in the database. Scopes that no longer exist are left out. */
export function scopesOf({ scopes }: { scopes: string }): Scope[] {
  const words = scopes.split(' ');
  return SCOPE_NAMES.filter((scope) => words.includes(scope));
}
