import type { Agent } from 'node:https';
import type { Log } from '@petstore/service/log.ts';
import type { AcmeConfig } from '../config-acme.ts';
import type { Deps } from '../deps.ts';
import {
  changeAcmeAccount,
  deleteAcmeAccount,
  findAcmeAccount,
  saveAccountKey,
} from '../store/acme-accounts.ts';
import type { AcmeClient } from './acme-client.ts';
import { acmeAgent, acmeTransport } from './acme-transport.ts';
import { authorityAt } from './authorities.ts';
import { accountKeyContext, makePrivateKey } from './sealing.ts';

/** How long a directory is used before it is read again, in milliseconds. */
const DIRECTORY_MS = 3_600_000;

export interface AccountDeps extends Pick<Deps, 'db' | 'now' | 'sealer'> {
  readonly config: { readonly acme: AcmeConfig };
  readonly log: Log;
}

/** The installation's accounts, one for each directory. All certificates share their connections. */
export interface AcmeAccounts {
  /** The account at a directory, created when there is none. */
  at(directoryUrl: string): Promise<AcmeClient>;
  /** The authority no longer takes orders from the account: the next call of `at` creates another. */
  replace(directoryUrl: string): Promise<void>;
  close(): void;
}

/** Reads ACME_CA_FILE; throws a UserError where that fails. Requests under way end with the signal. */
export function openAcmeAccounts(deps: AccountDeps, signal: AbortSignal): AcmeAccounts {
  const agent = acmeAgent(deps.config.acme.caFile);
  const open = new Map<string, { client: Promise<AcmeClient>; until: number }>();
  return {
    at(directoryUrl) {
      const cached = open.get(directoryUrl);
      if (cached && cached.until > deps.now()) return cached.client;
      const client = openAccount(deps, directoryUrl, agent, signal);
      const entry = { client, until: deps.now() + DIRECTORY_MS };
      open.set(directoryUrl, entry);
      client.catch(() => {
        if (open.get(directoryUrl) === entry) open.delete(directoryUrl);
      });
      return client;
    },
    async replace(directoryUrl) {
      open.delete(directoryUrl);
      const account = await findAcmeAccount(deps.db, directoryUrl);
      if (account) await deleteAcmeAccount(deps.db, account);
      deps.log.warn({ directoryUrl }, 'the ACME account is no longer valid: another will be made');
    },
    close: () => agent.destroy(),
  };
}

/**
 * Stores the key before the authority sees it: a process that dies in between finds the account again by the same
 * key (RFC 8555, section 7.3.1), and processes that start at the same time end with one account.
 */
async function openAccount(
  { db, config, sealer, now }: AccountDeps,
  directoryUrl: string,
  agent: Agent,
  signal: AbortSignal,
): Promise<AcmeClient> {
  const context = accountKeyContext(directoryUrl);
  const account =
    (await findAcmeAccount(db, directoryUrl)) ??
    (await saveAccountKey(db, {
      directory_url: directoryUrl,
      sealed_key: sealer.seal(await makePrivateKey(), context),
      created_at: now(),
    }));
  // Loaded when it is needed: its libraries are a fifth of what a start of the service has to read.
  const { connectAcmeClient } = await import('./acme-client.ts');
  const client = await connectAcmeClient(
    directoryUrl,
    {
      key: sealer.open(account.sealed_key, context),
      url: account.account_url ?? undefined,
      external: authorityAt(config.acme, directoryUrl)?.eab,
    },
    acmeTransport(agent, signal),
  );
  const accountUrl = account.account_url ?? (await client.createAccount(config.acme.email));
  const directory = JSON.stringify(client.directory);
  if (account.account_url !== accountUrl || account.directory !== directory) {
    await changeAcmeAccount(db, account, { account_url: accountUrl, directory });
  }
  return client;
}
