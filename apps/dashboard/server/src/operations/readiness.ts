import type { Log } from '@petstore/service/log.ts';

/** How long a check may take, in milliseconds. */
const TIMEOUT_MS = 2_000;

/** Resolves where all is well; rejects, or says what is wrong in a sentence for everyone to read. */
export type ReadyCheck = () => Promise<string | undefined>;

interface Outcome {
  readonly status: 'ok' | 'failed';
  readonly message?: string;
}

export interface ReadinessReport {
  readonly status: 'ok' | 'unavailable';
  readonly checks: Readonly<Record<string, Outcome>>;
}

/**
 * Decides whether requests should be sent to this process. Each check is asked anew for every report, but only once for
 * all reports that are made meanwhile, and no report waits longer than two seconds.
 */
export class Readiness {
  readonly #log: Log;
  readonly #checks = new Map<string, ReadyCheck>();
  readonly #asking = new Map<string, Promise<string | undefined>>();
  /** What the log was told last, by the parts that were checked. */
  readonly #told = new Map<string, string>();
  #process: string | undefined = 'The process is starting.';

  constructor(log: Log) {
    this.#log = log;
  }

  /** Adds a check, with the message of one that rejects or takes too long. */
  add(name: string, check: ReadyCheck, message: string): void {
    this.#checks.set(name, () => within(check, message));
  }

  /** All is started. */
  started(): void {
    this.#process = undefined;
  }

  /** No further requests should be sent here. */
  stopping(): void {
    this.#process = 'The process is stopping.';
  }

  /** `only`: the one check that counts besides the process itself; undefined: all. */
  async report(only?: string): Promise<ReadinessReport> {
    const names = [...this.#checks.keys()].filter((name) => only === undefined || name === only);
    const problems = await Promise.all(
      names.map(async (name) => [name, await this.#ask(name)] as const),
    );
    const all = [['process', this.#process] as const, ...problems];
    const failed = all.flatMap(([name, message]) =>
      message === undefined ? [] : [[name, message]],
    );
    this.#tell(only ?? '', Object.fromEntries(failed));
    return {
      status: failed.length === 0 ? 'ok' : 'unavailable',
      checks: Object.fromEntries(
        all.map(([name, message]) => [
          name,
          message === undefined ? { status: 'ok' } : { status: 'failed', message },
        ]),
      ),
    };
  }

  #ask(name: string): Promise<string | undefined> {
    const asking =
      this.#asking.get(name) ??
      (this.#checks.get(name) as ReadyCheck)().finally(() => this.#asking.delete(name));
    this.#asking.set(name, asking);
    return asking;
  }

  /** Logs a change, and not every report. */
  #tell(part: string, failed: Readonly<Record<string, string>>): void {
    const names = Object.keys(failed).join();
    const before = this.#told.get(part) ?? (part === '' ? undefined : '');
    this.#told.set(part, names);
    if (names === before || (names === '' && before === undefined)) return;
    if (names === '') this.#log.info('ready again');
    else if (!('process' in failed)) this.#log.warn({ failed }, 'not ready');
  }
}

async function within(check: ReadyCheck, message: string): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(message), TIMEOUT_MS);
  });
  try {
    return await Promise.race([check().catch(() => message), late]);
  } finally {
    clearTimeout(timer);
  }
}
