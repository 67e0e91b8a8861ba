import type { Agent } from 'node:https';
import {
  changeAcmeAccount,
  deleteAcmeAccount,
  findAcmeAccount,
  saveAccountKey,
} from '../store/acme-accounts.ts';
import type { AuthorityClient } from './acme/authority-client.ts';
import { authorityAgent, transport } from './acme/transport.ts';
import type { IssuerDeps } from './attempt.ts';
import { makePrivateKey } from './private-key.ts';
import { accountKeyContext } from './sealing.ts';

/** How long what a directory said of itself is believed, in milliseconds. */
const DIRECTORY_MS = 3_600_000;

/** The installation's accounts, by directory: connections that all certificates share. */
export interface Accounts {
  /** The account at a directory, made when there is none. */
  at(directoryUrl: string): Promise<AuthorityClient>;
  /** The authority does not take orders from the account any more: the next call makes another. */
  replace(directoryUrl: string): Promise<void>;
  close(): void;
}

/** Reads ACME_CA_FILE; throws a UserError where that fails. Calls under way end with the signal. */
export function openAccounts(deps: IssuerDeps, signal: AbortSignal): Accounts {
  const agent = authorityAgent(deps.config.acme.caFile);
  const known = new Map<string, { client: Promise<AuthorityClient>; until: number }>();
  return {
    at(directoryUrl) {
      const kept = known.get(directoryUrl);
      if (kept && kept.until > deps.now()) return kept.client;
      const client = openAccount(deps, directoryUrl, agent, signal);
      const entry = { client, until: deps.now() + DIRECTORY_MS };
      known.set(directoryUrl, entry);
      client.catch(() => {
        if (known.get(directoryUrl) === entry) known.delete(directoryUrl);
      });
      return client;
    },
    async replace(directoryUrl) {
      known.delete(directoryUrl);
      const account = await findAcmeAccount(deps.db, directoryUrl);
      if (account) await deleteAcmeAccount(deps.db, account);
      deps.log.warn({ directoryUrl }, 'the ACME account is no longer good: another will be made');
    },
    close: () => agent.destroy(),
  };
}

/**
 * The key is kept before the authority hears of it: whoever dies in between finds the account again with the
 * same key (RFC 8555, section 7.3.1), and processes that begin at once end with one account.
 */
async function openAccount(
  { db, config, sealer, now }: IssuerDeps,
  directoryUrl: string,
  agent: Agent,
  signal: AbortSignal,
): Promise<AuthorityClient> {
  const context = accountKeyContext(directoryUrl);
  const account =
    (await findAcmeAccount(db, directoryUrl)) ??
    (await saveAccountKey(db, {
      directory_url: directoryUrl,
      sealed_key: sealer.seal(await makePrivateKey(), context),
      created_at: now(),
    }));
  // Loaded when it is needed: its libraries are a fifth of what a start of the service has to read.
  const { connectAuthority } = await import('./acme/authority-client.ts');
  const client = await connectAuthority(
    directoryUrl,
    { key: sealer.open(account.sealed_key, context), url: account.account_url ?? undefined },
    transport(agent, signal),
  );
  const accountUrl = account.account_url ?? (await client.createAccount(config.acme.email));
  const directory = JSON.stringify(client.directory);
  if (account.account_url !== accountUrl || account.directory !== directory) {
    await changeAcmeAccount(db, account, { account_url: accountUrl, directory });
  }
  return client;
}
