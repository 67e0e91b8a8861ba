import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Everything that a client of this kind may do wrong: the code of the rule that it breaks. */
export type Habit = string;

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface Sent {
  readonly method?: string;
  readonly body?: object;
  readonly fault?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Given up after this time, in milliseconds. */
  readonly timeoutMs?: number;
}

const LATENCY = 'latency=6s';
const PATIENCE_MS = 2_000;

/**
 * A small client that goes through one session, and does all of it well but what its habit is. Each part of the session
 * gives it the occasion to break one rule.
 */
export class PracticeClient {
  readonly #origin: string;
  readonly #key: string;
  readonly #habit: Habit | undefined;
  readonly #agent: Agent;

  constructor(origin: string, key: string, habit?: Habit) {
    this.#origin = origin;
    this.#key = key;
    this.#habit = habit;
    this.#agent = new Agent({ keepAlive: !this.#has('connections_reused'), maxSockets: 1 });
  }

  async session(): Promise<void> {
    await this.#readPages();
    await this.#sendIdsBack();
    await this.#beTold();
    await this.#backOff();
    await this.#addOnce();
    await this.#poll();
    await this.#meetNewWords();
    await this.#hang();
    await this.#meetQuota();
    if (this.#has('deprecated_operations')) await this.#send('/pets/1');
    if (this.#has('credentials_in_header')) await this.#send(`/categories?api_key=${this.#key}`);
    await this.#send('/categories');
    this.#agent.destroy();
  }

  #has(habit: Habit): boolean {
    return this.#habit === habit;
  }

  async #readPages(): Promise<void> {
    let target: string | undefined = '/pets?limit=2';
    for (let page = 2; target !== undefined; page++) {
      const { headers } = await this.#send(target);
      const next = nextOf(headers.link);
      target = next && (this.#has('pages_by_link') ? `/pets?limit=2&page=${page}` : next);
      // Counted pages never end.
      if (page > 4) break;
    }
  }

  async #sendIdsBack(): Promise<void> {
    const { body } = await this.#send('/pets?limit=1', { fault: 'big-ids' });
    const exact = /"id":(\d+)/.exec(body)?.[1] ?? '';
    const id = this.#has('exact_ids') ? String(Number(exact)) : exact;
    const headers = { 'content-type': 'application/merge-patch+json' };
    await this.#send(`/pets/${id}`, { method: 'PATCH', body: { name: 'Rex' }, headers });
  }

  async #beTold(): Promise<void> {
    // Who does not wait is early on the slowest machine.
    const seconds = this.#has('retry_after_kept') ? 60 : 1;
    await this.#send('/pets?limit=3', { fault: `status=503;retry-after=${seconds}` });
    if (seconds === 1) await sleep(1_000);
    await this.#send('/pets?limit=3');
  }

  async #backOff(): Promise<void> {
    const attempt = () => this.#send('/pets?limit=4', { fault: 'status=502' });
    if (this.#has('retries_back_off')) {
      // Until two in a row were quick, whatever else the machine does.
      for (let quick = 0, i = 0; quick < 3 && i < 1_000; i++) {
        const began = performance.now();
        await attempt();
        quick = performance.now() - began < 15 ? quick + 1 : 0;
      }
    } else {
      for (const wait of [50, 900]) {
        await attempt();
        await sleep(wait);
      }
    }
    await this.#send('/pets?limit=4');
  }

  async #addOnce(): Promise<void> {
    for (const name of ['Ada', 'Kim']) {
      const key = randomUUID();
      const isLast = name === 'Kim';
      for (const fault of ['reset=after', undefined]) {
        const own = fault === undefined && this.#has('idempotency_keys') ? randomUUID() : key;
        const headers = this.#has('no_unsafe_retry') ? {} : { 'idempotency-key': own };
        // One of them does not fail.
        const trouble = isLast || fault === undefined ? {} : { fault };
        await this.#send('/pets', { method: 'POST', body: newPet(name), headers, ...trouble });
        if (isLast) break;
      }
    }
  }

  async #poll(): Promise<void> {
    const target = '/categories?limit=5';
    const { headers } = await this.#send(target);
    const tag = { 'if-none-match': String(headers.etag) };
    for (let i = 0; i < 5; i++) {
      const isPlain = this.#has('conditional_requests');
      await this.#send(target, isPlain ? {} : { headers: tag });
      if (this.#has('not_modified_understood')) await this.#send(target);
    }
  }

  async #meetNewWords(): Promise<void> {
    const { headers } = await this.#send('/pets?limit=8', { fault: 'drift=enum' });
    const next = nextOf(headers.link);
    if (next && !this.#has('unknown_tolerated')) await this.#send(next);
  }

  async #hang(): Promise<void> {
    const timeoutMs = this.#has('time_limits') ? 30_000 : PATIENCE_MS;
    await this.#send('/pets?limit=5', { fault: LATENCY, timeoutMs });
  }

  async #meetQuota(): Promise<void> {
    const seconds = this.#has('pace_under_quota') ? 60 : 2;
    await this.#send('/pets?limit=6', { fault: `status=429;retry-after=${seconds}` });
    if (seconds === 60) {
      for (let limit = 10; limit < 16; limit++) {
        await sleep(100);
        await this.#send(`/pets?limit=${limit}`);
      }
    } else {
      // A timer may fire a millisecond early.
      await sleep(2_200);
    }
    await this.#send('/pets?limit=7');
  }

  #send(target: string, { method = 'GET', body, fault, headers, timeoutMs }: Sent = {}) {
    return new Promise<Answer>((resolve, reject) => {
      const text = body && JSON.stringify(body);
      const sent = request(
        `${this.#origin}/v1${target}`,
        {
          ...{
            method,
            agent: this.#agent,
            ...(timeoutMs && { signal: AbortSignal.timeout(timeoutMs) }),
          },
          headers: {
            authorization: `Bearer ${this.#key}`,
            ...(text && { 'content-type': 'application/json', 'content-length': text.length }),
            ...(fault && { 'petstore-fault': fault }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('end', () =>
            resolve({
              ...{ status: response.statusCode, headers: response.headers },
              body: Buffer.concat(chunks).toString(),
            }),
          );
          response.on('error', reject);
        },
      );
      // A broken connection and a time that is over are part of the session.
      sent.on('error', () => resolve({ status: undefined, headers: {}, body: '' }));
      sent.end(text);
    });
  }
}

function newPet(name: string): object {
  return { name, categoryId: 1 };
}

/** The path behind `/v1` of the next page. */
function nextOf(link: string | string[] | undefined): string | undefined {
  const address = /<([^>]*)>; rel="next"/.exec(String(link))?.[1];
  return address?.slice(address.indexOf('/v1') + 3);
}
