import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { IN_MEMORY, sqlitePath } from '@petstore/service/database-url.ts';
import type { Log } from '@petstore/service/log.ts';
import type { Metrics } from '@petstore/service/metrics/instruments.ts';
import type { Config } from '../../config.ts';
import type { Store } from '../../store/store.ts';
import type { Deliverer } from './deliverer.ts';
import type { FromThread, ThreadData } from './delivery-thread.ts';

/** The thread's file is beside this one, with the same ending: TypeScript in a checkout, JavaScript in the package. */
const THREAD = new URL(`./delivery-thread${extname(import.meta.filename)}`, import.meta.url);

/** How often a process without webhooks looks whether there are any, in milliseconds. */
const LOOK_MS = 2_000;

/** How long the thread may take to stop, in milliseconds. */
const STOP_MS = 5_000;

interface DeliveryServiceDeps {
  readonly config: Pick<Config, 'databaseUrl' | 'webhookPrivateAddresses'>;
  readonly store: Store;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Something that delivers, and can be stopped. */
interface Running {
  stop(): Promise<void>;
}

/**
 * Delivers webhooks while the service runs. Nothing of it is started before there is a webhook. It has a thread of its
 * own, but for a store in memory, which other threads cannot open.
 */
export class DeliveryService {
  readonly #deps: DeliveryServiceDeps;
  readonly #attempts;
  readonly #disabled;
  readonly #leaseHolder = randomUUID();
  #running: Promise<Running> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #told = { delivered: 0, failed: 0 };
  #webhooks = 0;

  constructor(deps: DeliveryServiceDeps) {
    this.#deps = deps;
    const { metrics } = deps;
    const family = metrics.counter(
      'petstore_webhook_attempts_total',
      'Attempts to deliver an event to a webhook, by outcome.',
    );
    this.#attempts = {
      delivered: family.with({ outcome: 'delivered' }),
      failed: family.with({ outcome: 'failed' }),
    };
    this.#disabled = metrics
      .counter(
        'petstore_webhook_disabled_total',
        'Webhooks that were disabled because deliveries failed.',
      )
      .with();
    metrics.gauge(
      'petstore_webhook_owned',
      'Webhooks to which this process delivers.',
      () => this.#webhooks,
    );
  }

  /** Looks from time to time whether there is anything to deliver to. */
  start(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      await this.wake();
      if (!this.#running) this.start();
    }, LOOK_MS).unref();
  }

  /** Looks now. */
  async wake(): Promise<void> {
    if (this.#running || this.#isClosed) return;
    const { store, log } = this.#deps;
    try {
      if (!(await store.webhooks.isAny()) || this.#running || this.#isClosed) return;
    } catch (error) {
      log.debug({ err: error }, 'webhooks could not be looked for');
      return;
    }
    const path = sqlitePath(this.#deps.config.databaseUrl);
    // At once: whoever else has looked meanwhile, or closes, finds it.
    const running = path === IN_MEMORY ? this.#deliverHere() : this.#deliverElsewhere();
    this.#running = running;
    await running.catch((error: unknown) => {
      // There is nothing to end. A look meanwhile has seen it running and set no next one.
      this.#running = undefined;
      log.error({ err: error }, 'the delivery of webhooks could not begin');
      this.start();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // Undefined, too, where it could not begin.
    const running = await this.#running?.catch(() => undefined);
    await running?.stop();
  }

  async #deliverHere(): Promise<Running> {
    // Loaded where it is needed: most services have a file.
    const { Deliverer } = await import('./deliverer.ts');
    const { store, log, config } = this.#deps;
    const deliverer = new Deliverer({
      ...{ store, leaseHolder: this.#leaseHolder },
      allowsPrivate: config.webhookPrivateAddresses === 'allow',
      onError: (err) => log.warn({ err }, 'webhooks could not be read or stored'),
      onDisabled: ({ id, disabledReason: reason }) => this.#tellDisabled({ webhook: id, reason }),
    });
    deliverer.start();
    const telling = setInterval(() => this.#count(deliverer.counts), 1_000).unref();
    return {
      stop: () => {
        clearInterval(telling);
        return deliverer.stop();
      },
    };
  }

  async #deliverElsewhere(): Promise<Running> {
    const { config, log } = this.#deps;
    const workerData: ThreadData = {
      databaseUrl: config.databaseUrl,
      leaseHolder: this.#leaseHolder,
      allowsPrivate: config.webhookPrivateAddresses === 'allow',
    };
    const worker = new Worker(THREAD, { workerData });
    worker.unref();
    this.#told = { delivered: 0, failed: 0 };
    worker.on('message', (message: FromThread) => {
      if ('counts' in message) this.#count(message.counts);
      else if ('disabled' in message) this.#tellDisabled(message.disabled);
      else log.warn(message.detail, message.warning);
    });
    worker.on('error', (err) => log.error({ err }, 'the thread that delivers webhooks died'));
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        this.#running = undefined;
        this.#webhooks = 0;
        resolve();
        // It is started again, if there is still anything to deliver to.
        this.start();
      });
    });
    return {
      async stop() {
        worker.postMessage('stop');
        const late = setTimeout(() => void worker.terminate(), STOP_MS);
        await ended;
        clearTimeout(late);
      },
    };
  }

  #tellDisabled(detail: { readonly webhook: string; readonly reason: string | null }): void {
    this.#disabled.add();
    this.#deps.log.warn(detail, 'a webhook was disabled');
  }

  #count({ delivered, failed, webhooks }: Deliverer['counts']): void {
    this.#attempts.delivered.add(delivered - this.#told.delivered);
    this.#attempts.failed.add(failed - this.#told.failed);
    this.#told = { delivered, failed };
    this.#webhooks = webhooks;
  }
}
