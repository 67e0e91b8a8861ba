import type { Allowance } from './allowance.ts';
import { ask } from './ask.ts';
import { isFailure, type Outcome, type RecordType } from './outcome.ts';
import type { ServerAddress } from './server-address.ts';

/** Someone who can be asked. The same question is asked once. */
export interface Source {
  /** For people: an address, or the name of a server. */
  readonly label: string;
  lookUp(name: string, type: RecordType): Promise<Outcome>;
}

/** Milliseconds for each of two tries: a resolver may have to ask others first. */
const RESOLVER_TIMEOUT_MS = 1_000;
const ZONE_SERVER_TIMEOUT_MS = 700;

/** What bounds all questions of a check together. */
export interface Bounds {
  /** Ends what is under way. */
  readonly signal: AbortSignal;
  readonly allowance: Allowance;
}

/** A resolver. */
export function resolverSource(label: string, server: ServerAddress, bounds: Bounds): Source {
  const patience = { timeoutMs: RESOLVER_TIMEOUT_MS, ...bounds };
  const lookUp = once((name, type) => ask(server, { name, type, isRecursive: true }, patience));
  return { label, lookUp };
}

/** All resolvers at once: the first answer counts, and the first one's failure where there is none. */
export function anyOf(resolvers: readonly Source[]): Source {
  const lookUp = once(async (name, type) => {
    const asked = resolvers.map((resolver) => resolver.lookUp(name, type));
    try {
      return await Promise.any(asked.map(answered));
    } catch {
      return asked[0] ?? { kind: 'timeout' };
    }
  });
  return { label: 'resolvers', lookUp };
}

async function answered(asked: Promise<Outcome>): Promise<Outcome> {
  const outcome = await asked;
  if (isFailure(outcome)) throw new Error(outcome.kind);
  return outcome;
}

/** One of a zone's own servers, for the names of the zone; the resolver for all others. */
export function zoneServerSource(
  label: string,
  server: ServerAddress,
  { zone, resolver, bounds }: { zone: string; resolver: Source; bounds: Bounds },
): Source {
  const patience = { timeoutMs: ZONE_SERVER_TIMEOUT_MS, ...bounds };
  const lookUp = once(async (name, type) => {
    if (name !== zone && !name.endsWith(`.${zone}`)) return resolver.lookUp(name, type);
    return ask(server, { name, type, isRecursive: false }, patience);
  });
  return { label, lookUp };
}

type LookUp = Source['lookUp'];

function once(lookUp: LookUp): LookUp {
  const asked = new Map<string, Promise<Outcome>>();
  return (name, type) => {
    const key = `${type} ${name}`;
    const outcome = asked.get(key) ?? lookUp(name, type);
    asked.set(key, outcome);
    return outcome;
  };
}
