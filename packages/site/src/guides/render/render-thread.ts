import { Worker } from 'node:worker_threads';
import type { LinkTargets } from '../links/link-target.ts';
import type { RenderResult, ThreadData } from './render-worker.ts';
import type { SharedFiles } from './shared-files.ts';

const HEAP_MB = 1024;

type Answer = RenderResult | 'ready' | 'too slow' | 'too large';

/** A thread that renders one page after the other (render-worker.ts), and can be ended in the middle of one. */
export class RenderThread {
  readonly #worker: Worker;
  #waiting = Promise.withResolvers<Answer>();

  private constructor(data: ThreadData) {
    this.#worker = new Worker(new URL('./render-worker.ts', import.meta.url), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    this.#worker.on('message', (answer: Answer) => this.#waiting.resolve(answer));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') this.#waiting.resolve('too large');
      else this.#waiting.reject(error);
    });
  }

  /** Resolves once it can begin: the first page has all of its time, however long the thread takes to start. */
  static async start(targets: LinkTargets, files: SharedFiles): Promise<RenderThread> {
    const thread = new RenderThread({ targets, files });
    await thread.#waiting.promise;
    return thread;
  }

  /** Renders a page in at most so many milliseconds. With any other answer than a result the thread is of no more use. */
  async render(file: string, most: number): Promise<Exclude<Answer, 'ready'>> {
    const waiting = Promise.withResolvers<Answer>();
    this.#waiting = waiting;
    const timer = setTimeout(() => waiting.resolve('too slow'), Math.max(0, most));
    this.#worker.postMessage(file);
    try {
      return (await waiting.promise) as Exclude<Answer, 'ready'>;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it, at once. A page that it is in the middle of takes too long. */
  async end(): Promise<void> {
    this.#waiting.resolve('too slow');
    await this.#worker.terminate();
  }
}
