import { Worker } from 'node:worker_threads';
import type { SiteFile } from '@petstore/site/site/site-files.ts';
import type { ManifestEntry } from '../../artifact.ts';
import type { PackIndex } from '../artifact/pack.ts';
import type { PackFiles } from '../artifact/pack-files.ts';

/** A message to packing-worker.ts: a new pack, files for it, or its end. */
export type ToPackingThread =
  | { readonly path: string; readonly compressions: string }
  | { readonly files: readonly SiteFile[] }
  | { readonly end: true };

/** Its answer to files or the end of a pack. */
export type FromPackingThread =
  | { readonly entries: readonly ManifestEntry[] }
  | { readonly index: PackIndex };

/**
 * Hashes, compresses, draws and writes beside the thread that makes the files, which is as much work again. When it
 * fails, because the disk is full, say, the thread that started it fails as well.
 */
export class PackingThread {
  #thread: Worker | undefined;
  #begun: { readonly path: string; readonly compressions: string } | undefined;
  readonly #waiting: ((answer: FromPackingThread) => void)[] = [];

  /** Begins a pack, which is written once there is a file for it. `compressions`: the folder that builds share. */
  begin(path: string, compressions: string): void {
    this.#begun = { path, compressions };
  }

  readonly pack: PackFiles = async (files) => {
    const answer = await this.#ask({ files });
    return 'entries' in answer ? answer.entries : [];
  };

  /** Ends the pack, which is written then. Without files there is none. */
  async end(): Promise<PackIndex> {
    if (this.#begun) return [];
    const answer = await this.#ask({ end: true });
    return 'index' in answer ? answer.index : [];
  }

  #ask(message: ToPackingThread): Promise<FromPackingThread> {
    const { promise, resolve } = Promise.withResolvers<FromPackingThread>();
    this.#waiting.push(resolve);
    this.#thread ??= this.#start();
    const begun = this.#begun;
    this.#begun = undefined;
    if (begun) this.#thread.postMessage(begun satisfies ToPackingThread);
    this.#thread.postMessage(message);
    return promise;
  }

  /** Started with the first file: where nothing has to be built, it would take as long as all the rest. */
  #start(): Worker {
    const thread = new Worker(new URL('packing-worker.ts', import.meta.url));
    thread.on('message', (answer: FromPackingThread) => this.#waiting.shift()?.(answer));
    return thread;
  }
}
