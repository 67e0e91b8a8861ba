import { hash } from 'node:crypto';
import { concurrencyLimit } from '@petstore/service/concurrency-limit.ts';
import { SingleFlight } from '@petstore/service/single-flight.ts';
import { LRUCache } from 'lru-cache';
import { clientLimit } from '../client-limit.ts';
import type { MaybePromise } from '../sites/site-cache.ts';
import type { AccessDecision, AccessSource, Credential } from './access-source.ts';

/**
 * How long a decision holds, in milliseconds: then the store is asked again, so that access ends within a second at
 * every edge, whatever ends it.
 */
const FRESH_MS = 500;

/**
 * While the store is unavailable, whoever was allowed stays so for this long since the store last said it. In
 * milliseconds.
 */
const AWAY_MS = 60_000;

/** Verdicts in memory: of 300 bytes each. */
const MAX_KNOWN = 20_000;

/** Reads at a time, and those waiting: anyone can make credentials up. */
const MAX_RUNNING = 8;
const MAX_WAITING = 500;

/** Of one client: whoever makes credentials up leaves room for the readers of others, who are asked about twice a second. */
const MAX_OF_CLIENT = 50;

/** The store was not asked, since too much waits for it. */
class TooManyError extends Error {}

interface Known {
  readonly decision: AccessDecision;
  /** When the store was asked. */
  readonly askedAt: number;
}

/** Remembers for half a second who may read which project's private sites. */
export class AccessCache {
  readonly #source: Pick<AccessSource, 'judge'>;
  // Not `max`, which allocates for as many at once: most edges have no private site.
  readonly #known = new LRUCache<string, Known>({
    maxSize: MAX_KNOWN,
    sizeCalculation: () => 1,
  });
  readonly #reads = new SingleFlight<AccessDecision>();
  readonly #limited = concurrencyLimit(
    MAX_RUNNING,
    MAX_WAITING,
    () => new TooManyError('Too many look-ups of readers are waiting.'),
  );
  readonly #limitedToShare = clientLimit(
    MAX_OF_CLIENT,
    () => new TooManyError('Too many look-ups of readers are waiting for one client.'),
  );

  /** The last look-up that ended failed. */
  #isAway = false;

  constructor(source: Pick<AccessSource, 'judge'>) {
    this.#source = source;
  }

  /** Rejects when the store is unavailable and memory does not know. `client`: who asks; undefined: it is not counted. */
  judge(
    projectId: string,
    credential: Credential,
    client: () => string | undefined = () => undefined,
  ): MaybePromise<AccessDecision> {
    const key = keyOf(projectId, credential);
    const known = this.#known.get(key);
    if (known && performance.now() - known.askedAt < FRESH_MS) return known.decision;
    return this.#reads.read(key, () =>
      this.#limitedToShare(client(), () => this.#ask(key, projectId, credential)),
    );
  }

  async #ask(key: string, projectId: string, credential: Credential): Promise<AccessDecision> {
    let askedAt = performance.now();
    try {
      const decision = await this.#limited(() => {
        askedAt = performance.now();
        return this.#source.judge(projectId, credential);
      });
      this.#known.set(key, { decision, askedAt });
      this.#isAway = false;
      return decision;
    } catch (error) {
      // Too many look-ups while the store responds: an answer from memory would let a reader whose access has ended
      // stay for a minute, by a flood of requests.
      if (!(error instanceof TooManyError)) this.#isAway = true;
      else if (!this.#isAway) throw error;
      const known = this.#known.get(key);
      const isOpen = known?.decision === 'allowed' && performance.now() - known.askedAt < AWAY_MS;
      if (isOpen) return known.decision;
      throw error;
    }
  }
}

/** Secrets stay out of memory, where a dump of it would show them. */
function keyOf(projectId: string, credential: Credential): string {
  const { kind } = credential;
  const of = kind === 'key' ? credential.id : credential.secret;
  const host = kind === 'session' ? credential.host : '';
  return `${projectId} ${kind} ${host} ${hash('sha256', of, 'base64url')}`;
}
