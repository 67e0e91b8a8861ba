import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';

export interface AskingOptions {
  /** The resolver that the client asks before each request, `ip:port`. */
  readonly resolver: string;
  readonly hostname: string;
  readonly port: number;
  /** The root that the site's certificate has to lead to, in PEM. */
  readonly ca: string;
  readonly everyMs: number;
}

export interface Asked {
  count: number;
  /** How many requests got a page, by its title. */
  pages: Record<string, number>;
  /** The title of the latest page. */
  last: string;
  /** Requests that got none, or an insecure one. */
  failures: string[];
}

export interface Asking {
  look(): Promise<Asked>;
  /** Stops asking, and waits for the requests under way. */
  end(): Promise<Asked>;
}

/** Asks a site over HTTPS again and again, in a thread of its own, from now on. */
export function askAgainAndAgain(t: Ending, options: AskingOptions): Asking {
  const worker = new Worker(new URL('./asking-client.ts', import.meta.url), {
    workerData: options,
  });
  cleanUp(t, async () => void (await worker.terminate()));
  const say = async (message: 'look' | 'end'): Promise<Asked> => {
    worker.postMessage(message);
    const [asked] = await once(worker, 'message');
    return asked;
  };
  return { look: () => say('look'), end: () => say('end') };
}
