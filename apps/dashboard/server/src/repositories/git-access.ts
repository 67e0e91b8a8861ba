import type { Credentials, GitSettings, Repository } from '@petstore/git/repository.ts';
import type { Deps } from '../deps.ts';
import type { RepositoryRow } from '../store/repositories.ts';

/** The sealing contexts of the secrets of a repository. */
export const accessContext = ({ id }: Pick<RepositoryRow, 'id'>) => `repository ${id}`;
export const webhookContext = ({ id }: Pick<RepositoryRow, 'id'>) => `repository webhook ${id}`;

export class SecretError extends Error {
  override name = 'SecretError';
}

/** How packages/git is called for the repositories of this installation. */
export function gitSettings({ config, spool }: Pick<Deps, 'config' | 'spool'>): GitSettings {
  return {
    git: 'git',
    allowPrivateAddresses: config.git.privateAddresses === 'allow',
    dnsServers: config.dnsServers,
    caFile: config.git.caFile ?? null,
    directory: spool.folder,
  };
}

/** A repository with what opens it. Throws SecretError where that was sealed with another key. */
export function openRepository({ sealer }: Pick<Deps, 'sealer'>, row: RepositoryRow): Repository {
  return {
    url: row.url,
    credentials: credentialsOf(sealer, row),
    hostKeys: JSON.parse(row.host_keys) as string[],
  };
}

function credentialsOf(sealer: Deps['sealer'], row: RepositoryRow): Credentials | null {
  const secret = openSecret(sealer, row);
  if (secret === null) return null;
  return row.access === 'token'
    ? { kind: 'token', username: row.username, token: secret }
    : { kind: 'key', privateKey: secret };
}

function openSecret(sealer: Deps['sealer'], row: RepositoryRow): string | null {
  if (row.sealed_secret === null) return null;
  try {
    return sealer.open(row.sealed_secret, accessContext(row));
  } catch (cause) {
    throw new SecretError("The secret cannot be read with the dashboard's key.", { cause });
  }
}
