import { Worker } from 'node:worker_threads';
import type { Installation } from '../../accounts/account.ts';
import type { UploadDescription } from '../../deploys/upload.ts';
import { BranchError } from '../branch-problem.ts';

/** What is packed: what `folder` of the checkout `root` is, into the new file `to`. */
export interface PackingTask {
  readonly root: string;
  readonly folder: string;
  readonly limits: Installation['uploadLimits'];
  readonly to: string;
}

export interface PackedCheckout extends UploadDescription {
  /** The path of the document in the archive; undefined where the archive says it. */
  readonly document: string | undefined;
  /** The folder of the repository that the root of the archive is; empty for that of the repository. */
  readonly folder: string;
  readonly notes: readonly string[];
}

export type PackingAnswer =
  | { readonly packed: PackedCheckout }
  | { readonly code: 'folder_missing' | 'folder_unusable'; readonly message: string };

/**
 * What the thread sends: first that it may be ended, then its answer. Node ends the whole process where a thread is ended
 * while it makes a zlib stream, so the thread makes the only one that it needs before.
 */
export type PackingMessage = 'ready to be ended' | PackingAnswer;

/** Of the thread, in megabytes: a document is read to find the files that it refers to. */
const MEMORY_MB = 1_024;

/**
 * Packs what `dashboard deploy` would send of a checkout. In a thread, since reading a large document takes seconds.
 * Rejects with BranchError, and with the signal's reason.
 */
export async function packCheckout(
  task: PackingTask,
  signal: AbortSignal,
): Promise<PackedCheckout> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<PackingAnswer>();
  const thread = new Worker(new URL('packing-worker.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  const ready = Promise.withResolvers<void>();
  thread.on('message', (message: PackingMessage) => {
    if (typeof message === 'string') ready.resolve();
    else resolve(message);
  });
  thread.once('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new BranchError('folder_unusable', 'The document is too large to be read.')
        : error,
    ),
  );
  thread.once('exit', (code) => {
    ready.resolve();
    reject(new Error(`the packing thread ended with ${code}`));
  });
  try {
    const answer = await promise;
    if ('packed' in answer) return answer.packed;
    throw new BranchError(answer.code, answer.message);
  } finally {
    signal.removeEventListener('abort', abort);
    await ready.promise;
    await thread.terminate();
  }
}
