import type { Config } from '../config.ts';
import { noteDiscovered, noteFailure } from '../store/oidc-states.ts';
import type { Db } from '../store/schema.ts';
import { type Discovered, discover } from './discover.ts';
import type { OidcProviderConfig } from './oidc-config.ts';
import { explainProviderError, ProviderError } from './provider-error.ts';

/** After this long, a provider's configuration is read again, while the earlier one is used. */
const FRESH_MS = 60 * 60_000;
/** After this long the earlier one is not used any more. */
const USABLE_MS = 24 * 60 * 60_000;
/** A provider that failed is not asked again for this long: people who click again do not add to its trouble. */
const PAUSE_MS = 3_000;

/** A provider of the configuration, and what it says of itself. */
export interface Provider {
  readonly config: OidcProviderConfig;
  /** What its discovery document says: read when it is first needed, and kept. Rejects with ProviderError. */
  discovered(): Promise<Discovered>;
  /** What is kept of it, without asking. */
  known(): Discovered | undefined;
  /** Reads it now, whatever is kept. Rejects with ProviderError. */
  discoverNow(): Promise<Discovered>;
  /** Keeps what failed, for the installation's owner; the sentence. */
  noteFailure(error: unknown): Promise<string>;
}

export interface Providers {
  /** undefined: the operator has configured none of this name. */
  find(id: string): Provider | undefined;
  readonly all: readonly Provider[];
  /** Ends discoveries that are under way. */
  close(): Promise<void>;
}

interface ProvidersDeps {
  readonly db: Db;
  readonly now: () => number;
  readonly config: Pick<Config, 'oidc' | 'dnsServers'>;
}

/**
 * The providers of the configuration. Each is discovered in the background: one that is away stops neither the start
 * nor the other ways to sign in.
 */
export function openProviders(deps: ProvidersDeps): Providers {
  const stopping = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    const settled = work.then(
      () => {},
      () => {},
    );
    underWay.add(settled);
    void settled.then(() => underWay.delete(settled));
    return work;
  };
  const all = deps.config.oidc.map((config) =>
    providerOf(config, deps, { track, signal: stopping.signal }),
  );
  for (const provider of all) provider.discovered().catch(() => {});
  const byId = new Map(all.map((provider) => [provider.config.id, provider]));
  return {
    all,
    find: (id) => byId.get(id),
    async close() {
      stopping.abort();
      await Promise.all(underWay);
    },
  };
}

function providerOf(
  config: OidcProviderConfig,
  { db, now, config: { dnsServers } }: ProvidersDeps,
  { track, signal }: { track: <T>(work: Promise<T>) => Promise<T>; signal: AbortSignal },
): Provider {
  let kept: { readonly found: Discovered; readonly at: number } | undefined;
  let failed: { readonly error: ProviderError; readonly at: number } | undefined;
  let running: Promise<Discovered> | undefined;

  const note = async (error: unknown) => {
    const sentence = explainProviderError(error);
    // What the page shows is not worth failing for.
    await noteFailure(db, config.id, now(), sentence).catch(() => {});
    return sentence;
  };
  const read = async () => {
    try {
      const found = await discover(config, { dnsServers, signal });
      kept = { found, at: now() };
      failed = undefined;
      await noteDiscovered(db, config.id, now()).catch(() => {});
      return found;
    } catch (cause) {
      const error = new ProviderError(explainProviderError(cause), { cause });
      failed = { error, at: now() };
      if (!signal.aborted) await note(error);
      throw error;
    }
  };
  // One at a time, for all who wait for it.
  const discoverNow = () => {
    running ??= track(
      read().finally(() => {
        running = undefined;
      }),
    );
    return running;
  };
  return {
    config,
    known: () => kept?.found,
    discoverNow,
    noteFailure: note,
    async discovered() {
      const age = kept ? now() - kept.at : Number.POSITIVE_INFINITY;
      if (kept && age < FRESH_MS) return kept.found;
      const rested = failed ? now() - failed.at : PAUSE_MS;
      // A clock that was put back lengthens no rest.
      const rests = rested >= 0 && rested < PAUSE_MS;
      if (kept && age < USABLE_MS) {
        if (!rests) discoverNow().catch(() => {});
        return kept.found;
      }
      if (failed && rests) throw failed.error;
      return discoverNow();
    },
  };
}
