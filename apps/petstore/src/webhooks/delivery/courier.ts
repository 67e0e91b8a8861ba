import type { DeliveryOutcome } from '@petstore/webhooks/delivery-outcome.ts';
import { animalOf, eventJson, type StoredEvent } from '../../events/event.ts';
import type {
  Attempt,
  Progress,
  RecentDelivery,
  StoredDelivery,
  StoredWebhook,
} from '../webhook.ts';

/**
 * Deliveries to one webhook that may be under way at once, each of another animal: one, and one more for each that
 * succeeded since the last failure, so that receivers that never respond take few of the places of all.
 */
const MAX_UNDER_WAY = 8;

/** Events that were read from the log and wait here, at most. */
const MAX_READ = 200;

/** Deliveries of a webhook that may wait for a retry. With more nothing else is sent to it. */
const MAX_WAITING = 500;

/** After so many failures in a row the webhook is failing: one delivery at a time is tried, with growing waits. */
const FAILURES_TO_FAIL = 5;

/** Attempts of a delivery, and deliveries that succeeded at once, that are remembered. */
const KEPT_ATTEMPTS = 10;
const KEPT_RECENT = 20;

/** What of a response is kept, in characters. */
const KEPT_RESPONSE = 300;

export interface CourierDeps {
  /** Sends an event once, or says when it is to be sent. Rejects where that was stopped. */
  send(
    webhook: StoredWebhook,
    event: { id: string; eventId: bigint; body: string },
  ): Promise<DeliveryOutcome | Postponed>;
  /** When to try again after so many attempts, the last of which ended at `at`; null for never. */
  nextAttemptAt(attempts: number, at: number, retryAfterMs?: number): number | null;
  now(): number;
}

/** A delivery that is not to be made yet. */
export interface Postponed {
  /** In milliseconds since 1970. */
  readonly notBefore: number;
}

/** A delivery that failed, or waits behind one of the same animal. */
interface Waiting extends StoredDelivery {
  readonly state: 'waiting';
}

/**
 * Delivers the events of one webhook. It knows no database: it is given events and what waits, and says what has
 * changed.
 *
 * An event of an animal is sent when all earlier ones of that animal were delivered, or given up. Others go on meanwhile.
 */
export class Courier {
  readonly #deps: CourierDeps;
  webhook: StoredWebhook;
  /** Events that were read and not sent, in order. */
  #read: StoredEvent[] = [];
  /** Every event up to it was read. */
  #readTo: bigint;
  /** The events that were read and are not done, in order: the position is before the first. */
  readonly #open = new Set<bigint>();
  readonly #busy = new Set<string>();
  /** By animal, in the order of the events. */
  readonly #waiting = new Map<string, Waiting[]>();
  #waitingCount = 0;
  /** Deliveries that succeeded here since the last failure. */
  #succeededInRow = 0;
  /** Whether the next attempt at the failing webhook is one that somebody has asked for. */
  #isHurried = false;
  #hasChanged = false;
  #changed = new Map<bigint, StoredDelivery>();
  delivered = 0;
  failed = 0;

  constructor(deps: CourierDeps, webhook: StoredWebhook, waiting: readonly StoredDelivery[]) {
    this.#deps = deps;
    this.webhook = webhook;
    this.#readTo = webhook.position;
    this.adopt(waiting);
  }

  /** After which event it wants to read on; undefined where it has enough. */
  get wants(): bigint | undefined {
    const { disabledAt, failures } = this.webhook;
    if (disabledAt !== null) return undefined;
    const isHealthy = failures < FAILURES_TO_FAIL || this.#waitingCount === 0;
    const hasRoom = this.#read.length < MAX_READ / 2 && this.#waitingCount < MAX_WAITING;
    return isHealthy && hasRoom ? this.#readTo : undefined;
  }

  /** Whether it was disabled here, and that is not stored yet. */
  get isBeingDisabled(): boolean {
    return this.webhook.disabledAt !== null && this.#hasChanged;
  }

  /**
   * Whether one anew must begin where the stored webhook is: its owner has changed the address or the events, by which
   * this one has read and sent, or has moved it by enabling it.
   */
  isOutdated({ url, events, position }: StoredWebhook): boolean {
    const { webhook } = this;
    const isChanged = url !== webhook.url || events.join() !== webhook.events.join();
    return isChanged || position !== webhook.position;
  }

  /**
   * Somebody has asked for deliveries: what is due of them is tried now, though the webhook is failing. Or somebody has
   * enabled the failing webhook: it is healthy again, and the first delivery of each animal is tried now.
   */
  hurry({ failures }: StoredWebhook, waiting: readonly StoredDelivery[]): void {
    const now = this.#deps.now();
    this.adopt(waiting);
    if (failures === 0 && this.webhook.failures > 0 && this.webhook.disabledAt === null) {
      this.webhook = { ...this.webhook, ...HEALTHY };
      this.#hasChanged = true;
      this.#resume();
    }
    for (const asked of waiting) {
      const known = this.#waiting
        .get(asked.animal)
        ?.find(({ eventId }) => eventId === asked.eventId);
      // By the clock of who was asked, which may be ahead.
      if (known?.nextAt && asked.nextAt !== null && asked.nextAt < known.nextAt) {
        this.#replace({ ...known, nextAt: asked.nextAt });
      }
    }
    if (this.webhook.nextAt === null) return;
    this.#isHurried ||= this.webhook.nextAt > now;
    this.webhook = { ...this.webhook, nextAt: now };
  }

  /** Takes deliveries that wait. Each is stored: the position may pass it, and its event is not taken from the log. */
  adopt(waiting: readonly StoredDelivery[]): void {
    for (const delivery of waiting) {
      const line = this.#waiting.get(delivery.animal) ?? [];
      if (line.some(({ eventId }) => eventId === delivery.eventId)) continue;
      line.push({ ...delivery, state: 'waiting' });
      line.sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
      this.#waiting.set(delivery.animal, line);
      this.#waitingCount++;
      this.#open.delete(delivery.eventId);
    }
    this.#read = this.#read.filter((event) => !this.#hasInLine(event));
  }

  /** What its owner has changed. */
  update({ url, events, secret, oldSecret, oldSecretUntil, asked }: StoredWebhook): void {
    this.webhook = { ...this.webhook, url, events, secret, oldSecret, oldSecretUntil, asked };
  }

  /** Takes events that follow `wants`, without a gap. */
  take(events: readonly StoredEvent[]): void {
    const { events: wanted } = this.webhook;
    for (const event of events) {
      this.#readTo = event.id;
      if (wanted.length > 0 && !wanted.includes(event.type)) continue;
      if (this.#hasInLine(event)) continue;
      this.#read.push(event);
      this.#open.add(event.id);
    }
    this.#hasChanged = true;
  }

  /** The events that come next are no longer kept. */
  lose(oldest: bigint): void {
    const { position } = this.webhook;
    this.#disable(
      `It was so far behind that the events ${position + 1n} to ${oldest - 1n} are no longer kept. They are lost to it.`,
    );
  }

  /**
   * Begins what can be sent now, `most` at most; calls back when one has ended, whatever its outcome. Returns how many
   * it began.
   */
  begin(most: number, onEnd: () => void): number {
    let begun = 0;
    for (;;) {
      if (begun >= most || !this.#mayBegin()) return begun;
      const next = this.#nextRetry() ?? this.#nextEvent();
      if (!next) return begun;
      this.#busy.add(next.animal);
      begun++;
      void this.#deliver(next).then(onEnd, onEnd);
    }
  }

  /** When there may be something to begin though nothing has ended; Infinity for never. */
  get nextAt(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const [head] of this.#waiting.values()) {
      if (head && !this.#busy.has(head.animal)) first = Math.min(first, head.nextAt ?? 0);
    }
    return Math.max(first, this.webhook.nextAt ?? 0);
  }

  /** What has changed since the last call; undefined where nothing has. */
  changes(): { progress: Progress; deliveries: StoredDelivery[] } | undefined {
    if (!this.#hasChanged) return undefined;
    this.#hasChanged = false;
    const [firstOpen] = this.#open;
    const position = firstOpen === undefined ? this.#readTo : firstOpen - 1n;
    const deliveries = [...this.#changed.values()];
    this.#changed = new Map();
    return { progress: { ...this.webhook, position }, deliveries };
  }

  /** Where the changes were stored. */
  saved({ position }: Progress): void {
    this.webhook = { ...this.webhook, position };
  }

  /** Where the changes could not be stored. */
  unsaved(deliveries: readonly StoredDelivery[]): void {
    this.#hasChanged = true;
    for (const delivery of deliveries) {
      if (!this.#changed.has(delivery.eventId)) this.#changed.set(delivery.eventId, delivery);
    }
  }

  #mayBegin(): boolean {
    const { disabledAt, nextAt } = this.webhook;
    if (disabledAt !== null || (nextAt !== null && nextAt > this.#deps.now())) return false;
    return this.#busy.size < Math.min(MAX_UNDER_WAY, 1 + this.#succeededInRow);
  }

  #nextRetry(): Waiting | undefined {
    const now = this.#deps.now();
    for (const [head] of this.#waiting.values()) {
      if (head && !this.#busy.has(head.animal) && (head.nextAt ?? 0) <= now) return head;
    }
    return undefined;
  }

  /** The next event whose animal has nothing under way; events behind one that waits wait as well. */
  #nextEvent(): Waiting | undefined {
    // A failing one is tried with what failed.
    if (this.webhook.failures >= FAILURES_TO_FAIL && this.#waitingCount > 0) return undefined;
    for (let at = 0; at < this.#read.length; at++) {
      const event = this.#read[at] as StoredEvent;
      const animal = animalOf(event);
      if (this.#waiting.has(animal)) {
        if (this.#waitingCount >= MAX_WAITING) return undefined;
        this.#read.splice(at--, 1);
        this.#hold(this.#deliveryOf(event, animal));
      } else if (!this.#busy.has(animal)) {
        this.#read.splice(at, 1);
        return this.#deliveryOf(event, animal);
      }
    }
    return undefined;
  }

  #deliveryOf(event: StoredEvent, animal: string): Waiting {
    return {
      ...{ eventId: event.id, animal, event: eventJson(event) },
      ...{ state: 'waiting', attempts: [], nextAt: null },
    };
  }

  async #deliver(delivery: Waiting): Promise<void> {
    const { eventId, animal, event: body } = delivery;
    const heldUntil = this.webhook.nextAt;
    const at = this.#deps.now();
    const began = performance.now();
    try {
      const id = `${this.webhook.id}.${eventId}`;
      const outcome = await this.#deps.send(this.webhook, { id, eventId, body });
      if ('notBefore' in outcome) {
        this.#postpone(delivery, outcome.notBefore);
        return;
      }
      const { status, error } = outcome;
      const response = outcome.response?.slice(0, KEPT_RESPONSE) || undefined;
      const ms = Math.round(performance.now() - began);
      const attempt = { at, ms, status, error, ...(error !== null && response && { response }) };
      if (error === null) this.#succeed(delivery, attempt);
      else this.#fail(delivery, attempt, outcome, heldUntil);
    } catch {
      // Stopped: whoever has the webhook next sends it.
    } finally {
      this.#busy.delete(animal);
    }
  }

  #succeed(delivery: Waiting, attempt: Attempt): void {
    this.delivered++;
    this.#succeededInRow++;
    this.#hasChanged = true;
    const wasFailing = this.webhook.failures >= FAILURES_TO_FAIL;
    if (this.webhook.failures > 0 || this.webhook.nextAt !== null) {
      this.webhook = { ...this.webhook, ...HEALTHY };
    }
    if (this.#isInLine(delivery)) {
      this.#endFirst(delivery, { ...delivery, state: 'delivered', nextAt: null }, attempt);
    } else {
      this.#open.delete(delivery.eventId);
      const { type } = JSON.parse(delivery.event) as { type: RecentDelivery['type'] };
      const recent = { ...attempt, event: `${delivery.eventId}`, type };
      this.webhook = {
        ...this.webhook,
        recent: [recent, ...this.webhook.recent].slice(0, KEPT_RECENT),
      };
    }
    // It is back: what waits need not wait longer.
    if (wasFailing) this.#resume();
  }

  /** `heldUntil`: when the next attempt at the webhook was due as this one began. */
  #fail(
    delivery: Waiting,
    attempt: Attempt,
    { retryAfterMs = 0, isFinal }: DeliveryOutcome,
    heldUntil: number | null,
  ): void {
    this.failed++;
    this.#succeededInRow = 0;
    this.#hasChanged = true;
    const { now, nextAttemptAt } = this.#deps;
    const at = now();
    // One that somebody has asked for says nothing about how long the webhook has been failing, nor does one that began
    // before others have failed.
    const isScheduled = !this.#isHurried && heldUntil === this.webhook.nextAt;
    const isExtra = this.webhook.nextAt !== null && !isScheduled;
    this.#isHurried = false;
    const failures = this.webhook.failures + (isExtra ? 0 : 1);
    const failingSince = this.webhook.failingSince ?? attempt.at;
    this.webhook = { ...this.webhook, failures, failingSince, lastError: attempt.error };
    const attempts = [...delivery.attempts, attempt];
    const nextAt = nextAttemptAt(attempts.length, at, retryAfterMs);
    if (this.#isInLine(delivery)) {
      if (nextAt === null)
        this.#endFirst(delivery, { ...delivery, state: 'failed', nextAt }, attempt);
      else this.#replace({ ...delivery, attempts: attempts.slice(-KEPT_ATTEMPTS), nextAt });
    } else {
      this.#hold({ ...delivery, attempts, nextAt });
    }
    if (isFinal) this.#disable(`${attempt.error} It gets nothing more.`);
    if (isFinal || failures < FAILURES_TO_FAIL) return;
    const again = nextAttemptAt(failures - FAILURES_TO_FAIL + 1, at, retryAfterMs);
    if (again === null) {
      this.#disable(`All attempts since ${new Date(failingSince).toISOString()} failed.`);
    } else {
      this.webhook = { ...this.webhook, nextAt: again };
      // The one that is tried then need not wait longer than the webhook.
      const [first] = [...this.#waiting.values()].flatMap(([head]) => (head ? [head] : []));
      if (first) this.#replace({ ...first, nextAt: Math.min(first.nextAt ?? again, again) });
    }
  }

  /** It waits like one that failed, but nothing was tried. */
  #postpone(delivery: Waiting, nextAt: number): void {
    if (this.#isInLine(delivery)) this.#replace({ ...delivery, nextAt });
    else this.#hold({ ...delivery, nextAt });
  }

  #hasInLine(event: StoredEvent): boolean {
    return this.#isInLine({ animal: animalOf(event), eventId: event.id });
  }

  #isInLine({ animal, eventId }: Pick<Waiting, 'animal' | 'eventId'>): boolean {
    return this.#waiting.get(animal)?.some((other) => other.eventId === eventId) ?? false;
  }

  /** Puts a delivery at the end of its animal's line. */
  #hold(delivery: Waiting): void {
    const line = this.#waiting.get(delivery.animal);
    if (line) line.push(delivery);
    else this.#waiting.set(delivery.animal, [delivery]);
    this.#waitingCount++;
    this.#open.delete(delivery.eventId);
    this.#changed.set(delivery.eventId, delivery);
    this.#hasChanged = true;
  }

  #replace(delivery: Waiting): void {
    const line = this.#waiting.get(delivery.animal) ?? [];
    const at = line.findIndex(({ eventId }) => eventId === delivery.eventId);
    line[at] = delivery;
    this.#changed.set(delivery.eventId, delivery);
    this.#hasChanged = true;
  }

  /** The next of its animal, which has no time of its own, is due now. */
  #endFirst(delivery: Waiting, ended: StoredDelivery, attempt: Attempt): void {
    const attempts = [...delivery.attempts, attempt].slice(-KEPT_ATTEMPTS);
    this.#changed.set(delivery.eventId, { ...ended, attempts });
    const rest = (this.#waiting.get(delivery.animal) ?? []).filter(
      ({ eventId }) => eventId !== delivery.eventId,
    );
    this.#waitingCount--;
    if (rest.length > 0) this.#waiting.set(delivery.animal, rest);
    else this.#waiting.delete(delivery.animal);
  }

  #resume(): void {
    const now = this.#deps.now();
    for (const [head] of [...this.#waiting.values()]) {
      if (head && (head.nextAt ?? 0) > now) this.#replace({ ...head, nextAt: now });
    }
  }

  #disable(reason: string): void {
    this.webhook = { ...this.webhook, disabledAt: this.#deps.now(), disabledReason: reason };
    this.#hasChanged = true;
  }
}

const HEALTHY = { failures: 0, failingSince: null, nextAt: null, lastError: null } as const;
