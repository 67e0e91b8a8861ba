import type { Scope } from '../../../server/src/accounts/permissions.ts';

interface ScopeInWords {
  /** What the scope allows, to be read after “may”. */
  readonly may: string;
  readonly label: string;
  /** For a token for all projects. */
  readonly hint: string;
  /** For a token for one project. */
  readonly projectHint?: string;
}

const SCOPES: Record<Scope, ScopeInWords> = {
  read: {
    may: 'read',
    label: 'Read',
    hint: 'Deploys, domains, members and the audit log. Every token does.',
  },
  deploy: {
    may: 'deploy',
    label: 'Deploy',
    hint: 'Upload deploys, put them live, and manage versions and previews of branches.',
  },
  projects: {
    may: 'change projects',
    label: 'Projects',
    hint: 'Create projects, and change their names, addresses and settings.',
    projectHint: 'Change the project’s name, address and settings.',
  },
  domains: {
    may: 'manage domains',
    label: 'Domains',
    hint: 'Add, verify, change and remove custom domains.',
  },
  webhooks: {
    may: 'manage webhooks',
    label: 'Webhooks',
    hint: 'See, add, change, test and remove webhooks, and send deliveries again.',
  },
  repositories: {
    may: 'manage repositories',
    label: 'Repositories',
    hint: 'Connect, change and disconnect the repositories that projects are deployed from.',
    projectHint: 'Connect, change and disconnect the repository that the project is deployed from.',
  },
  members: {
    may: 'manage members',
    label: 'Members',
    hint: 'Invite, change and remove editors and viewers. Who is in stays when the token is revoked.',
  },
  delete: {
    may: 'delete projects',
    label: 'Delete',
    hint: 'Delete projects with all that is in them.',
    projectHint: 'Delete the project with all that is in it.',
  },
  installation: {
    may: 'set plans and quotas',
    label: 'Installation',
    hint: "Set plans and quotas, change groups, and read the whole installation's audit log.",
  },
};

const ENTRIES = Object.entries(SCOPES) as [Scope, ScopeInWords][];

/** The scopes that a token can have, as a list to choose from. */
export function scopeChoices(isForProject: boolean, ownsInstallation: boolean) {
  return ENTRIES.filter(
    ([scope]) => scope !== 'installation' || (!isForProject && ownsInstallation),
  ).map(([scope, { label, hint, projectHint }]) => ({
    scope,
    label,
    hint: isForProject ? (projectHint ?? hint) : hint,
  }));
}

const list = new Intl.ListFormat('en');

/** What a token may do: `read, deploy, and manage domains`. */
export function scopesInWords(scopes: readonly Scope[]): string {
  return list.format(ENTRIES.filter(([scope]) => scopes.includes(scope)).map(([, { may }]) => may));
}
