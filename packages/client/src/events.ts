import { setTimeout as sleep } from 'node:timers/promises';
import type { components } from './generated/api.ts';

type Schemas = components['schemas'];

/** Something that happened to an animal or an order. */
export type PetstoreEvent = {
  /** Where it stands in the log. */
  readonly id: string;
  readonly createdAt: string;
} & (
  | { readonly type: 'pet.created' | 'pet.updated' | 'pet.deleted'; readonly data: Schemas['Pet'] }
  | {
      readonly type: 'order.placed' | 'order.completed' | 'order.cancelled';
      readonly data: Schemas['Order'];
    }
);

export interface EventsOptions {
  /** The id of the last event that you have, or `latest`; without it events begin with the oldest that is kept. */
  readonly after?: string;
  /** Ends the loop. */
  readonly signal?: AbortSignal;
}

/** A connection that says nothing for so long is dead, in milliseconds: the service says something every 15 seconds. */
const SILENCE_MS = 45_000;

/** Waits before connecting anew, in milliseconds, before up to half of each is added at random. */
const WAITS_MS = [100, 500, 1_000, 3_000, 10_000];

export interface EventsDeps {
  /** Requests the stream after an event; resolves with a response that is good. */
  connect(after: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Whether an error will be the same the next time. */
  isFinal(error: unknown): boolean;
  parse(text: string): unknown;
}

/** Events as they come, for as long as the loop wants them: where a connection breaks, the next one goes on behind it. */
export async function* followEvents(
  { connect, isFinal, parse }: EventsDeps,
  { after, signal }: EventsOptions,
): AsyncGenerator<PetstoreEvent, void, undefined> {
  let position = after;
  for (let failures = 0; !signal?.aborted; ) {
    const alive = new Watch(SILENCE_MS);
    const ends = signal ? AbortSignal.any([signal, alive.signal]) : alive.signal;
    try {
      const response = await connect(position, ends);
      // What happens while it connects anew before its first event is not lost.
      if (position === 'latest') position = response.headers.get('last-event-id') ?? position;
      for await (const line of linesOf(response, () => alive.heard())) {
        failures = 0;
        const event = parse(line) as PetstoreEvent;
        position = event.id;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (isFinal(error)) throw error;
    } finally {
      alive.end();
    }
    const wait = WAITS_MS[Math.min(failures++, WAITS_MS.length - 1)] as number;
    await sleep(wait * (1 + Math.random() / 2), undefined, signal && { signal }).catch(() => {});
  }
}

/** Aborts when nothing was heard for a time. */
class Watch {
  readonly #ms: number;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), this.#ms);
  }

  end(): void {
    clearTimeout(this.#timer);
    // A loop that was left gives up its connection.
    this.#controller.abort();
  }
}

/** The lines of a body that are not empty. A last one without its end is left out: the connection broke in it. */
async function* linesOf({ body }: Response, onChunk: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body ?? []) {
    onChunk();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}
