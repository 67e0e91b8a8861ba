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
import { acmeAgent, acmeTransport, ProblemError } from './acme-transport.ts';
import { authorityAt } from './authorities.ts';
import { type Problem, problemOf } from './problem.ts';
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
  /**
   * Asks the authority about the account, after it refused a request of it. Where it takes no orders from the account any
   * more, the next call of `at` creates another. Whether that is so; rejects as AcmeClient does.
   */
  replaceIfClosed(directoryUrl: string): Promise<boolean>;
  close(): void;
}

/** Reads ACME_CA_FILE; throws a UserError where that fails. Requests under way end with the signal. */
export function openAcmeAccounts(deps: AccountDeps, signal: AbortSignal): AcmeAccounts {
  const agent = acmeAgent(deps.config.acme.caFile);
  const cache = new Map<string, { opened: Promise<OpenAccount>; until: number }>();

  function forget(directoryUrl: string, opened: Promise<OpenAccount>) {
    if (cache.get(directoryUrl)?.opened === opened) cache.delete(directoryUrl);
  }

  function open(directoryUrl: string): Promise<OpenAccount> {
    const cached = cache.get(directoryUrl);
    if (cached && cached.until > deps.now()) return cached.opened;
    const opened = openAccount(deps, directoryUrl, agent, signal);
    cache.set(directoryUrl, { opened, until: deps.now() + DIRECTORY_MS });
    opened.catch(() => forget(directoryUrl, opened));
    return opened;
  }

  return {
    at: async (directoryUrl) => (await open(directoryUrl)).client,
    async replaceIfClosed(directoryUrl) {
      // The refused request may have been of an earlier account, which another attempt or process has replaced by now.
      const opened = open(directoryUrl);
      const { client, sealedKey } = await opened;
      if (await client.isAccountUsable()) return false;
      forget(directoryUrl, opened);
      await deleteAcmeAccount(deps.db, { directory_url: directoryUrl, sealed_key: sealedKey });
      deps.log.warn({ directoryUrl }, 'the ACME account is no longer valid: another will be made');
      return true;
    },
    close: () => agent.destroy(),
  };
}

/**
 * What an error of a request to an authority says; undefined where it is an error of the program. Of a closed account an
 * authority may say the same as of a name that it does not issue for: the account is asked about, and replaced where it
 * is closed.
 */
export async function problemAtAuthority(
  accounts: AcmeAccounts,
  directoryUrl: string,
  error: unknown,
  at: number,
): Promise<Problem | undefined> {
  const problem = problemOf(error, at);
  const mayBeAccount =
    error instanceof ProblemError &&
    problem !== undefined &&
    ['accountDoesNotExist', 'unauthorized'].includes(problem.type);
  if (!mayBeAccount) return problem;
  const isClosed = await accounts.replaceIfClosed(directoryUrl).catch(() => false);
  return isClosed ? { ...problem, type: 'accountDoesNotExist' } : problem;
}

interface OpenAccount {
  readonly client: AcmeClient;
  /** The account's key, as it is stored. */
  readonly sealedKey: string;
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
): Promise<OpenAccount> {
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
  return { client, sealedKey: account.sealed_key };
}
