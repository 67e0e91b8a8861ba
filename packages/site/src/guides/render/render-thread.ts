import { Worker } from 'node:worker_threads';
import type { LinkTargets } from '../links/link-target.ts';
import type { FromRenderThread, RenderResult, ToRenderThread } from './render-worker.ts';
import type { SharedFiles } from './shared-files.ts';

const HEAP_MB = 1024;

/** After how many pages a thread is not kept: its heap has grown. */
const KEPT_AFTER = 100;

type Answer = FromRenderThread | 'too slow' | 'too large';

/** The thread of an earlier site of this process, which waits for the next one: to start one takes longer than a few pages. */
let idle: Worker | undefined;

/** A thread that renders one page after the other (render-worker.ts), and can be ended in the middle of one. */
export class RenderThread {
  readonly #worker: Worker;
  #waiting = Promise.withResolvers<Answer>();
  /** Whether it has done all that it was asked for. */
  #isIdle = false;
  #hasEnded = false;
  #rendered = 0;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (answer: FromRenderThread) => this.#waiting.resolve(answer));
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') this.#waiting.resolve('too large');
      else this.#waiting.reject(error);
    });
  }

  /** Resolves once it can begin: the first page has all of its time, however long the thread takes to start. */
  static async start(targets: LinkTargets, files: SharedFiles): Promise<RenderThread> {
    const thread = new RenderThread(takeIdle() ?? startWorker());
    await thread.#ask({ targets, files });
    return thread;
  }

  /** Renders a page in at most so many milliseconds. With any other answer than a result the thread is of no more use. */
  async render(file: string, most: number): Promise<RenderResult | 'too slow' | 'too large'> {
    const answering = this.#ask(file);
    const { resolve } = this.#waiting;
    const timer = setTimeout(() => resolve('too slow'), Math.max(0, most));
    try {
      return (await answering) as RenderResult | 'too slow' | 'too large';
    } finally {
      clearTimeout(timer);
      this.#rendered += 1;
    }
  }

  /** Ends it, at once, or keeps it for another site. A page that it is in the middle of takes too long. */
  async end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#waiting.resolve('too slow');
    const isOfUse = this.#isIdle && this.#rendered <= KEPT_AFTER;
    if (isOfUse && idle === undefined) keepIdle(this.#worker);
    else await this.#worker.terminate();
  }

  async #ask(message: ToRenderThread): Promise<Answer> {
    this.#waiting = Promise.withResolvers<Answer>();
    this.#isIdle = false;
    this.#worker.postMessage(message);
    const answer = await this.#waiting.promise;
    this.#isIdle = answer !== 'too slow' && answer !== 'too large';
    return answer;
  }
}

function startWorker(): Worker {
  return new Worker(new URL('./render-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
}

/** It keeps no process alive, and nothing of the site in memory. */
function keepIdle(worker: Worker): void {
  removeListeners(worker);
  worker.postMessage(undefined);
  const forget = () => {
    if (idle === worker) idle = undefined;
  };
  worker.once('error', forget).once('exit', forget);
  worker.unref();
  idle = worker;
}

function takeIdle(): Worker | undefined {
  const worker = idle;
  idle = undefined;
  if (!worker) return undefined;
  removeListeners(worker);
  worker.ref();
  return worker;
}

function removeListeners(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}
