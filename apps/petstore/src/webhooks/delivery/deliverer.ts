import type { DeliveryOutcome } from '@petstore/webhooks/delivery-outcome.ts';
import { nextAttemptAt } from '@petstore/webhooks/retries.ts';
import { Connections } from '@petstore/webhooks/safe-post.ts';
import { sendWebhook } from '@petstore/webhooks/send-webhook.ts';
import { deliveryFaults } from '../../faults/event-faults.ts';
import { OWN_STORE } from '../../store/own-store.ts';
import type { Store } from '../../store/store.ts';
import { type StoredDelivery, type StoredWebhook, signingSecrets } from '../webhook.ts';
import { Courier, type CourierDeps, type Postponed } from './courier.ts';
import { LogWindow } from './log-window.ts';
import { SEND_TIMEOUT_MS, sending } from './sending.ts';

/** How long a process leases a webhook, in milliseconds. After a crash others wait so long. */
const LEASE_MS = 20_000;

/** How often the process looks for webhooks that nobody delivers to, and for changes of its own. */
const ACQUIRE_MS = 500;

/** Webhooks that it takes at once, so that several processes share them. */
const ACQUIRED_AT_ONCE = 25;

/** How often what was delivered is stored, in milliseconds. After a crash so much is delivered again. */
const SAVE_MS = 1_000;

/** How long a delivery waits whose fault rules could not be read, in milliseconds. */
const POSTPONED_MS = 1_000;

/** How often the logs are read, in milliseconds. */
const READ_MS = 50;

/**
 * Deliveries that may be under way at once, to all webhooks, and to those of sandboxes: whoever made a sandbox may have
 * receivers that take as long as they may, and others need not wait for them.
 */
const MAX_UNDER_WAY = 128;
const MAX_UNDER_WAY_OF_SANDBOXES = 64;

/** No wait since then is too short. */
const LONG_AGO = Number.NEGATIVE_INFINITY;

/** Deliveries that are over, and are still shown, of each webhook. */
const KEPT_DELIVERIES = 100;

export interface DelivererDeps {
  readonly store: Pick<Store, 'events' | 'webhooks' | 'faults'>;
  /** A name that no other process has. */
  readonly leaseHolder: string;
  readonly allowsPrivate: boolean;
  readonly onError: (error: unknown) => void;
  readonly onDisabled: (webhook: StoredWebhook) => void;
  /** For tests. */
  readonly nextAttemptAt?: CourierDeps['nextAttemptAt'];
}

/** Delivers the events of all webhooks that it can get, until it is stopped. */
export class Deliverer {
  readonly #deps: DelivererDeps;
  readonly #couriers = new Map<string, Courier>();
  readonly #windows = new Map<string, LogWindow>();
  readonly #connections = new Connections();
  readonly #stop = new AbortController();
  readonly #courierDeps: CourierDeps;
  // By the clock that is never put back; its first look is at once.
  #leasedUntil = 0;
  #acquiredAt = LONG_AGO;
  #savedAt = LONG_AGO;
  #underWay = 0;
  #underWayOfSandboxes = 0;
  #isPumpPlanned = false;
  #running: Promise<void> | undefined;
  #before = { delivered: 0, failed: 0 };

  constructor(deps: DelivererDeps) {
    this.#deps = deps;
    this.#courierDeps = {
      now: Date.now,
      nextAttemptAt: deps.nextAttemptAt ?? nextAttemptAt,
      send: (webhook, message) => this.#sendOrPostpone(webhook, message),
    };
  }

  /** How many deliveries succeeded and failed so far, and how many webhooks it has. */
  get counts(): { delivered: number; failed: number; webhooks: number } {
    let { delivered, failed } = this.#before;
    for (const courier of this.#couriers.values()) {
      delivered += courier.delivered;
      failed += courier.failed;
    }
    return { delivered, failed, webhooks: this.#couriers.size };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Cuts off what is under way, stores what was done, and leaves the webhooks to others. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#connections.close();
    await this.#attempt(() => this.#save());
    await this.#attempt(() => this.#deps.store.webhooks.release(this.#deps.leaseHolder));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const now = performance.now();
      if (now - this.#acquiredAt >= ACQUIRE_MS) {
        await this.#attempt(() => this.#acquireLeases(now));
      }
      await this.#attempt(() => this.#read());
      this.#pump();
      if (now - this.#savedAt >= SAVE_MS) {
        this.#savedAt = now;
        await this.#attempt(() => this.#save());
      }
      await pause(READ_MS, signal);
    }
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#deps.onError(error);
    }
  }

  async #acquireLeases(now: number): Promise<void> {
    this.#acquiredAt = now;
    const { leaseHolder, store } = this.#deps;
    const own = await store.webhooks.acquireLeases(leaseHolder, {
      leaseMs: LEASE_MS,
      most: ACQUIRED_AT_ONCE,
    });
    this.#leasedUntil = now + Math.min(...own.map(({ leaseLeftMs }) => leaseLeftMs), LEASE_MS);
    const lost = new Set(this.#couriers.keys());
    for (const webhook of own) {
      lost.delete(webhook.id);
      const courier = this.#couriers.get(webhook.id);
      const isAsked = courier?.webhook.asked !== webhook.asked;
      // While it is being disabled the store still has it as enabled: a courier anew would send again what just ended it.
      const isGoing = courier && (courier.webhook.disabledAt === null || courier.isBeingDisabled);
      if (!isGoing || (isAsked && courier.isOutdated(webhook))) {
        const waiting = await store.webhooks.waiting(webhook.id);
        this.#drop(webhook.id);
        this.#couriers.set(webhook.id, new Courier(this.#courierDeps, webhook, waiting));
        continue;
      }
      // Before the courier takes `asked`: where the read fails, the next look reads again.
      if (isAsked) courier.hurry(webhook, await store.webhooks.waiting(webhook.id));
      courier.update(webhook);
    }
    for (const id of lost) this.#drop(id);
  }

  #drop(id: string): void {
    const courier = this.#couriers.get(id);
    if (!courier) return;
    this.#before.delivered += courier.delivered;
    this.#before.failed += courier.failed;
    this.#couriers.delete(id);
    const { store } = courier.webhook;
    const isFollowed = [...this.#couriers.values()].some(({ webhook }) => webhook.store === store);
    if (!isFollowed) this.#windows.delete(store);
  }

  /** Gives each webhook the events that come next. */
  async #read(): Promise<void> {
    const byStore = Map.groupBy(this.#couriers.values(), ({ webhook }) => webhook.store);
    for (const [store, couriers] of byStore) {
      const window = this.#windowOf(store);
      const positions = couriers.flatMap(({ wants }) => (wants === undefined ? [] : [wants]));
      if (positions.length === 0) continue;
      await window.advance(positions.reduce((a, b) => (a > b ? a : b)));
      for (const courier of couriers) {
        const { wants } = courier;
        if (wants === undefined) continue;
        const events = await window.after(wants, 200);
        if (Array.isArray(events)) {
          if (events.length > 0) courier.take(events);
        } else if (wants < events.oldest - 1n) {
          courier.lose(events.oldest);
        }
      }
    }
  }

  #windowOf(store: string): LogWindow {
    let window = this.#windows.get(store);
    if (!window) {
      window = new LogWindow(this.#deps.store.events.of(store));
      this.#windows.set(store, window);
    }
    return window;
  }

  /** Begins what can be sent. */
  #pump(): void {
    if (this.#stop.signal.aborted) return;
    // What is begun now must end while the lease lasts.
    if (this.#leasedUntil - performance.now() <= SEND_TIMEOUT_MS) return;
    for (const [id, courier] of [...this.#couriers]) {
      if (this.#underWay >= MAX_UNDER_WAY) break;
      const isOfSandbox = courier.webhook.store !== OWN_STORE;
      const free = MAX_UNDER_WAY - this.#underWay;
      const most = isOfSandbox
        ? Math.min(free, MAX_UNDER_WAY_OF_SANDBOXES - this.#underWayOfSandboxes)
        : free;
      const begun = courier.begin(most, () => {
        this.#underWay--;
        if (isOfSandbox) this.#underWayOfSandboxes--;
        this.#planPump();
      });
      this.#underWay += begun;
      if (isOfSandbox) this.#underWayOfSandboxes += begun;
      if (begun === 0) continue;
      // Those behind it come first the next time.
      this.#couriers.delete(id);
      this.#couriers.set(id, courier);
    }
  }

  /** At the end of this turn of the event loop, once for all that ended in it. */
  #planPump(): void {
    if (this.#isPumpPlanned) return;
    this.#isPumpPlanned = true;
    setImmediate(() => {
      this.#isPumpPlanned = false;
      this.#pump();
    });
  }

  async #save(): Promise<void> {
    const { leaseHolder, store, onDisabled } = this.#deps;
    const changed = [...this.#couriers.values()].flatMap((courier) => {
      const changes = courier.changes();
      return changes ? [{ courier, ...changes }] : [];
    });
    const deliveries = changed.flatMap(({ progress: { id, asked }, deliveries }) =>
      deliveries.map((delivery: StoredDelivery) => ({ webhookId: id, asked, delivery })),
    );
    const progress = changed.map(({ progress }) => progress);
    let saved: ReadonlySet<string>;
    try {
      saved = await store.webhooks.save(leaseHolder, progress, deliveries, KEPT_DELIVERIES);
    } catch (error) {
      for (const { courier, deliveries } of changed) courier.unsaved(deliveries);
      throw error;
    }
    // By what was saved: the courier may have changed since, and that is not stored yet.
    for (const { courier, progress, deliveries } of changed) {
      if (!saved.has(progress.id)) {
        courier.unsaved(deliveries);
        // It hears at once what was asked for, and is saved again at once, before more is asked for.
        this.#acquiredAt = LONG_AGO;
        this.#savedAt = LONG_AGO;
        continue;
      }
      courier.saved(progress);
      if (progress.disabledAt === null) continue;
      onDisabled(courier.webhook);
      this.#drop(progress.id);
    }
  }

  /** Sends an event, or has it wait where the database fails: the courier forgets one that is neither sent nor waits. */
  async #sendOrPostpone(
    webhook: StoredWebhook,
    message: { id: string; eventId: bigint; body: string },
  ): Promise<DeliveryOutcome | Postponed> {
    try {
      return await this.#sendWithFaults(webhook, message);
    } catch (error) {
      if (this.#stop.signal.aborted) throw error;
      this.#deps.onError(error);
      return { notBefore: Date.now() + POSTPONED_MS };
    }
  }

  /** Sends an event as often, and as late, as the sandbox's faults say; for the service's own store once, now. */
  async #sendWithFaults(
    webhook: StoredWebhook,
    message: { id: string; eventId: bigint; body: string },
  ): Promise<DeliveryOutcome | Postponed> {
    const { store } = webhook;
    if (store === OWN_STORE) return this.#send(webhook, message);
    const { faults } = this.#deps.store;
    const { times, latencyMs } = await deliveryFaults(faults, store, Number(message.eventId));
    if (latencyMs > 0) {
      const { createdAt } = JSON.parse(message.body) as { createdAt: string };
      const notBefore = Date.parse(createdAt) + latencyMs;
      if (notBefore > Date.now()) return { notBefore };
    }
    let outcome: DeliveryOutcome = { status: null, error: null };
    for (let time = 0; time < times; time++) outcome = await this.#send(webhook, message);
    return outcome;
  }

  #send(webhook: StoredWebhook, { id, body }: { id: string; body: string }) {
    const at = Date.now();
    return sendWebhook(
      { id, url: webhook.url, secret: signingSecrets(webhook, at), body },
      { at, ...sending(this.#deps.allowsPrivate), connections: this.#connections },
      this.#stop.signal,
    );
  }
}

/** Waits, or until a signal. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
