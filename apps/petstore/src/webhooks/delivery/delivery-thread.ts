import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openStore } from '../../store/open-store.ts';
import { Deliverer } from './deliverer.ts';

// The thread that delivers webhooks, so that to sign and to send costs the event loop of the service nothing.

export interface ThreadData {
  readonly databaseUrl: string;
  readonly leaseHolder: string;
  readonly allowsPrivate: boolean;
}

export type FromThread =
  | { readonly counts: Deliverer['counts'] }
  | { readonly disabled: { readonly webhook: string; readonly reason: string | null } }
  | { readonly warning: string; readonly detail: Readonly<Record<string, unknown>> };

/** How often the service is told what was done, in milliseconds. */
const TELL_MS = 1_000;

/** Nicer than the threads that serve, by the words of nice(1). */
const NICENESS = 10;

/** Connections to a database server. */
const POOL_SIZE = 3;

const port = parentPort;
if (!port) throw new Error('delivery-thread.ts runs as a worker');
const say = (message: FromThread) => port.postMessage(message);
const warn = (warning: string, detail: Readonly<Record<string, unknown>>) =>
  say({ warning, detail });

// On Linux this is the thread's own; elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(NICENESS);

const { databaseUrl, leaseHolder, allowsPrivate } = workerData as ThreadData;
const store = await openStore(databaseUrl, {
  ...{ mustExist: true, mayBlock: true, pageCacheBytes: 0, poolSize: POOL_SIZE },
});
const deliverer = new Deliverer({
  ...{ store, leaseHolder, allowsPrivate },
  onError: (error) =>
    warn('webhooks could not be read or stored; the service tries again', { err: `${error}` }),
  onDisabled: ({ id, disabledReason: reason }) => say({ disabled: { webhook: id, reason } }),
});
deliverer.start();
const telling = setInterval(() => say({ counts: deliverer.counts }), TELL_MS);

port.on('message', async () => {
  clearInterval(telling);
  await deliverer.stop();
  say({ counts: deliverer.counts });
  await store.close();
  port.close();
});
