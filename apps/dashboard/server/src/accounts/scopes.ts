/**
 * What an API token may be made for (RFC 6749, section 3.3), with the words for people. A token has its owner's rights
 * as far as its scopes go. No scope makes tokens, changes an account or makes an owner: that takes a session.
 */
export const SCOPES = {
  read: 'Read projects, deploys, domains, members and the audit log.',
  deploy: 'Upload deploys and put them live.',
  projects: 'Create projects, rename them and change their addresses.',
  domains: 'Add, verify, change and remove custom domains.',
  webhooks: 'See, add, test and remove webhooks.',
  members: 'Invite, change and remove editors and viewers.',
  delete: 'Delete projects.',
  installation: "Set plans and read the whole installation's audit log.",
} as const;

export type Scope = keyof typeof SCOPES;

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

/** What a token is made for where nothing is said. */
export const DEFAULT_SCOPES = ['read', 'deploy'] as const satisfies readonly Scope[];

/** The same for a token for all projects that is made at the command line. */
export const OPERATOR_SCOPES = [
  ...DEFAULT_SCOPES,
  'projects',
  'domains',
] as const satisfies readonly Scope[];
