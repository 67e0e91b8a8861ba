import type { Provider, Repository } from '../../../server/src/repositories/repository.ts';

/** What to do at a host, in its own words. */
export interface HostSteps {
  /** Where it is done; null where the repository's page is not known. */
  readonly page: string | null;
  /** Sentences, in which `this` is code. */
  readonly steps: readonly string[];
}

interface Host {
  readonly name: string;
  readonly webhook: (web: string) => HostSteps;
  readonly deployKey: (web: string) => HostSteps;
  /** Where a token is made, and what it may do. */
  readonly token: string;
}

export const HOSTS: Readonly<Record<Exclude<Provider, 'other'>, Host>> = {
  github: {
    name: 'GitHub',
    webhook: (web) => ({
      page: `${web}/settings/hooks/new`,
      steps: [
        'In the repository: *Settings*, *Webhooks*, *Add webhook*.',
        'Enter the address as *Payload URL* and the secret as *Secret*. Choose `application/json` as *Content type*.',
        'Leave *Just the push event* as it is.',
      ],
    }),
    deployKey: (web) => ({
      page: `${web}/settings/keys/new`,
      steps: [
        'In the repository: *Settings*, *Deploy keys*, *Add deploy key*.',
        'Paste the key. Leave *Allow write access* off.',
      ],
    }),
    token:
      'A fine-grained token for this repository, with *Contents*: read-only, and *Commit statuses*: read and write.',
  },
  gitlab: {
    name: 'GitLab',
    webhook: (web) => ({
      page: `${web}/-/hooks`,
      steps: [
        'In the project: *Settings*, *Webhooks*, *Add new webhook*.',
        'Enter the address as *URL* and the secret as *Secret token*.',
        'Choose *Push events*, and leave *SSL verification* on.',
      ],
    }),
    deployKey: (web) => ({
      page: `${web}/-/settings/repository`,
      steps: [
        'In the project: *Settings*, *Repository*, *Deploy keys*, *Add new key*.',
        'Paste the key. Leave *Grant write permissions* off.',
      ],
    }),
    token:
      'A project access token with the scope `read_repository`; for commit statuses the role *Developer* and the scope `api`.',
  },
  gitea: {
    name: 'Gitea or Forgejo',
    webhook: (web) => ({
      page: `${web}/settings/hooks`,
      steps: [
        'In the repository: *Settings*, *Webhooks*, *Add webhook*, *Gitea* or *Forgejo*.',
        'Enter the address as *Target URL* and the secret as *Secret*. Leave the content type `application/json`.',
        'Leave *Push events* as it is.',
      ],
    }),
    deployKey: (web) => ({
      page: `${web}/settings/keys`,
      steps: [
        'In the repository: *Settings*, *Deploy keys*, *Add deploy key*.',
        'Paste the key. Leave write access off.',
      ],
    }),
    token:
      'An access token of your account (*Settings*, *Applications*) with *repository*: read, or read and write for commit statuses.',
  },
  bitbucket: {
    name: 'Bitbucket',
    webhook: (web) => ({
      page: `${web}/admin/webhooks`,
      steps: [
        'In the repository: *Repository settings*, *Webhooks*, *Add webhook*.',
        'Enter the address as *URL* and the secret as *Secret*.',
        'Leave the trigger *Repository push* as it is.',
      ],
    }),
    deployKey: (web) => ({
      page: `${web}/admin/access-keys/`,
      steps: [
        'In the repository: *Repository settings*, *Access keys*, *Add key*.',
        'Paste the key. Access keys of Bitbucket can only read.',
      ],
    }),
    token:
      'A repository access token with *Repositories*: read; for commit statuses *Repositories*: write.',
  },
};

/** What a repository's host is called. */
export const hostName = ({ provider, url }: Pick<Repository, 'provider' | 'url'>) =>
  provider === 'other' ? new URL(url).hostname : HOSTS[provider].name;

const OTHER = {
  webhook: [
    'Let the host send a POST to the address whenever something is pushed.',
    'It signs the body with the secret, by HMAC-SHA256 in hexadecimal digits, in the header `X-Hub-Signature-256: sha256=…`.',
  ],
  deployKey: ['Add the key at the host, where it lists the keys that may read the repository.'],
} as const;

/** How a webhook is added, or a deploy key, at the host of a repository. */
export function stepsAt(
  { provider, webUrl }: Pick<Repository, 'provider' | 'webUrl'>,
  what: 'webhook' | 'deployKey',
): HostSteps {
  if (provider === 'other') return { page: null, steps: OTHER[what] };
  const { page, steps } = HOSTS[provider][what](webUrl ?? '');
  return { page: webUrl === null ? null : page, steps };
}
