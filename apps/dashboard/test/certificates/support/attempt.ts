import type { TestContext } from 'node:test';
import { type Logger, pino } from 'pino';
import type { AcmeAccounts } from '../../../server/src/certificates/account.ts';
import type { AcmeClient, Order } from '../../../server/src/certificates/acme-client.ts';
import type { Attempt, IssuerDeps } from '../../../server/src/certificates/issuance.ts';
import type { IssuanceChange, IssuanceRow } from '../../../server/src/store/issuances.ts';
import type { Db } from '../../../server/src/store/schema.ts';
import { openTestDatabase, putProject } from '../../support/store.ts';
import { type AcmeChange, acmeConfig, HOST, issuanceOf, putVerifiedDomain, SEALER } from './lab.ts';

export const HERE = 'https://authority.test/directory';
export const STAGING = 'https://staging.test/directory';
export const NOW = Date.parse('2026-11-21T12:00:00.000Z');

export interface Made {
  readonly db: Db;
  readonly id: string;
  readonly deps: IssuerDeps;
  readonly attempt: Attempt;
  /** Lines of the log, each with its host name. */
  readonly logged: string[];
  /** What was asked of the authority, and of its account. */
  readonly asked: string[];
  readonly accounts: AcmeAccounts;
  row(): Promise<IssuanceRow | undefined>;
}

interface Options {
  readonly row?: IssuanceChange;
  readonly client?: Partial<AcmeClient>;
  readonly now?: () => number;
  readonly acme?: AcmeChange;
  /** The authority takes no orders from the account any more. */
  readonly isClosed?: () => Promise<boolean>;
  readonly signal?: AbortSignal;
}

/** An attempt at a certificate that a worker has leased, and an authority of which each call is recorded. */
export async function openAttempt(t: TestContext, options: Options = {}): Promise<Made> {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'petstore', 'pro');
  const id = await putVerifiedDomain(db, HOST, NOW);
  const change = { directory_url: HERE, leased_by: 'me', leased_until: NOW + 1, ...options.row };
  await db.updateTable('issuances').set(change).where('domain_id', '=', id).execute();
  const logged: string[] = [];
  const asked: string[] = [];
  const write = (line: string) => {
    const { hostname, msg } = JSON.parse(line);
    logged.push(`${hostname}: ${msg}`);
  };
  const log: Logger = pino({ level: 'trace' }, { write });
  const deps = {
    ...{ db, log, now: options.now ?? (() => NOW), sealer: SEALER, siteChanged: () => undefined },
    config: {
      acme: acmeConfig({ directoryUrl: HERE, caFile: '' }, options.acme),
    },
  } as unknown as IssuerDeps;
  const accounts: AcmeAccounts = {
    at: async (url) => recorded(options.client ?? {}, asked, url),
    replaceIfClosed: async (url) => {
      asked.push(`replaceIfClosed ${url}`);
      return options.isClosed?.() ?? false;
    },
    close: () => undefined,
  };
  const row = () => issuanceOf(db, id);
  const attempt: Attempt = {
    ...{ deps, accounts, worker: 'me', projectId: 'petstore', isIssued: false },
    signal: options.signal ?? new AbortController().signal,
    row: (await row()) as IssuanceRow,
  };
  return { db, id, deps, attempt, logged, asked, accounts, row };
}

/** A client that writes down what it is asked, such as `getOrder order-1`. */
function recorded(client: Partial<AcmeClient>, asked: string[], url: string): AcmeClient {
  const whole = {
    directory: {},
    abandon: async () => undefined,
    listOrders: async () => [],
    ...client,
  };
  return new Proxy(whole as AcmeClient, {
    get(target, name: keyof AcmeClient) {
      const value: unknown = target[name];
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const words = args.map(wordOf);
        asked.push([name, ...words, ...(url === HERE ? [] : [`at ${url}`])].join(' '));
        return value(...args);
      };
    },
  });
}

/** An order is written as its URL, and what an order is to ask for as its values. */
function wordOf(arg: unknown): string {
  if (typeof arg !== 'object' || arg === null) return String(arg);
  if ('url' in arg) return String(arg.url);
  return Object.values(arg).filter(Boolean).join(' ') || 'undefined';
}

export function orderWith(url: string, changes: Partial<Order> = {}): Order {
  const identifiers = [{ type: 'dns', value: HOST }];
  return { url, status: 'pending', identifiers, ...changes } as unknown as Order;
}
