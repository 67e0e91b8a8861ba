import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Log } from '../log.ts';
import { UserError } from '../user-error.ts';
import { Channel, type Handlers } from './channel.ts';
import type { Sockets } from './sockets.ts';
import type { Stop } from './worker.ts';

/** Waits before a worker that died is replaced, in milliseconds: the first time, the second, … */
const RESTART_DELAYS_MS = [0, 100, 500, 2_000];

/** A worker that lived this long, in milliseconds, started well: the delays begin anew. */
const GOOD_LIFE_MS = 10_000;

/** A process that serves. */
export interface Worker {
  /** From 1 on; a replacement has the same number. */
  readonly number: number;
  readonly channel: Channel;
}

interface Process extends Worker {
  readonly child: ChildProcess;
  readonly startedAt: number;
  readonly ended: Promise<unknown>;
  /** Resolves when it serves; rejects with UserError when it ends before. */
  readonly ready: Promise<void>;
  isReady: boolean;
  isStopping: boolean;
}

/** A place among the workers. */
interface Slot {
  readonly number: number;
  current: Process | undefined;
  /** Replaces the worker as soon as it serves. */
  next: Process | undefined;
  deaths: number;
  restart: NodeJS.Timeout | undefined;
}

export interface SupervisorOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** The sockets of each port that the workers listen on. Each port has one socket for each worker. */
  readonly ports: readonly [Sockets, ...Sockets[]];
  readonly log: Log;
  /** The handlers of a worker's requests. */
  readonly handlers: (worker: () => Worker) => Handlers;
  /** A worker has ended. `isDeath`: nobody had told it to end. */
  readonly onEnd: (worker: Worker, isDeath: boolean) => void;
}

/** Starts processes that share ports, one for each socket of a port, and keeps that many alive. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #slots: readonly Slot[];
  readonly #processes = new Set<Process>();
  #isStarted = false;
  #isStopping = false;
  #reloading: Promise<void> | undefined;
  #isReloadWanted = false;
  #hasFailed = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#slots = options.ports[0].fds.map((_, at) => ({
      number: at + 1,
      current: undefined,
      next: undefined,
      deaths: 0,
      restart: undefined,
    }));
  }

  /** Every process that was started and has not ended. */
  get workers(): Iterable<Worker> {
    return this.#processes;
  }

  /** Workers that serve. */
  get serving(): number {
    return this.#slots.filter(({ current }) => current?.isReady).length;
  }

  /**
   * Starts the first worker and then the others, so that a problem of all of them is reported once. Rejects with
   * UserError when one ends before it serves; the others are then ended, too.
   */
  async start(): Promise<void> {
    const [first, ...others] = this.#slots as [Slot, ...Slot[]];
    try {
      await this.#startFirst(first);
      await Promise.all(others.map((slot) => this.#startFirst(slot)));
      this.#isStarted = true;
      for (const slot of this.#slots) if (!slot.current) this.#restart(slot, 0);
    } catch (error) {
      this.#isStopping = true;
      await this.#killAll();
      throw error;
    }
  }

  /**
   * Replaces each worker: the new one serves before the old one is told to stop. Where a new one cannot start, the old
   * one goes on, and so do those after it. A call meanwhile makes all of them be replaced once more at the end. Those of
   * an earlier call that have not ended yet are told to hurry.
   */
  reload(): Promise<void> {
    this.#isReloadWanted = true;
    this.#reloading ??= this.#reload().finally(() => {
      this.#reloading = undefined;
    });
    return this.#reloading;
  }

  /** Ends all workers, and resolves when they have ended; with false where one of them failed to end well. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    // New connections are refused as soon as the workers refuse them.
    this.#closePorts();
    for (const slot of this.#slots) clearTimeout(slot.restart);
    for (const worker of this.#processes) {
      if (worker.isReady || worker.isStopping) this.#tellToStop(worker, { isReplaced: false });
      else worker.child.kill('SIGKILL');
    }
    await Promise.all([...this.#processes].map(({ ended }) => ended));
    return !this.#hasFailed;
  }

  async #startFirst(slot: Slot): Promise<void> {
    slot.current = this.#fork(slot);
    await slot.current.ready;
  }

  async #reload(): Promise<void> {
    const { log } = this.#options;
    while (this.#isReloadWanted && !this.#isStopping) {
      this.#isReloadWanted = false;
      log.info('replacing the workers');
      try {
        for (const slot of this.#slots) await this.#replace(slot);
        log.info('the workers were replaced');
      } catch (error) {
        if (this.#isStopping) return;
        log.error({ err: error }, 'a new worker cannot start; the former ones go on');
      }
    }
  }

  async #replace(slot: Slot): Promise<void> {
    if (this.#isStopping) return;
    clearTimeout(slot.restart);
    for (const worker of this.#processes) {
      if (worker.isStopping && worker.number === slot.number) {
        this.#tellToStop(worker, { isReplaced: false });
      }
    }
    const next = this.#fork(slot);
    slot.next = next;
    try {
      await next.ready;
    } catch (error) {
      slot.next = undefined;
      // The old worker died meanwhile, and its replacement did not start.
      if (!slot.current) this.#restart(slot, RESTART_DELAYS_MS.at(-1) ?? 0);
      throw error;
    }
    const former = slot.current;
    slot.current = next;
    slot.next = undefined;
    if (former) this.#tellToStop(former, { isReplaced: true });
  }

  #tellToStop(worker: Process, how: Stop): void {
    worker.isStopping = true;
    worker.channel.notify('stop', how);
  }

  #fork(slot: Slot): Process {
    const { program, args, ports, handlers } = this.#options;
    const { number } = slot;
    const child = fork(program, args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...ports.map(({ fds }) => fds[number - 1])],
      serialization: 'advanced',
    });
    const ended = once(child, 'exit').catch(() => undefined);
    const { promise: ready, resolve: isUp, reject: isDown } = Promise.withResolvers<void>();
    // Callers that do not wait for it learn of its end here.
    ready.catch(() => undefined);
    const channel = new Channel(child, {
      ...handlers(() => worker),
      ready: () => {
        worker.isReady = true;
        isUp();
      },
    });
    const worker: Process = {
      ...{ number, channel, child, ready, ended },
      startedAt: performance.now(),
      isReady: false,
      isStopping: false,
    };
    this.#processes.add(worker);
    const onEnd = (cause: Record<string, unknown>, isGood: boolean) => {
      if (!this.#processes.delete(worker)) return;
      isDown(new UserError(`Worker ${number} ended before it served.`));
      this.#onEnd(slot, worker, cause, isGood);
    };
    child.on('exit', (code, signal) => onEnd({ code, signal }, code === 0));
    child.on('error', (error) => child.pid === undefined && onEnd({ err: error }, false));
    return worker;
  }

  #onEnd(slot: Slot, worker: Process, cause: Record<string, unknown>, isGood: boolean): void {
    const { log, onEnd } = this.#options;
    const isDeath = this.#isStarted && !worker.isStopping && !this.#isStopping;
    onEnd(worker, isDeath);
    if (worker.isStopping && !isGood) {
      this.#hasFailed ||= this.#isStopping;
      log.error({ worker: worker.number, ...cause }, 'a worker exited with an error');
    }
    if (slot.current !== worker) return;
    slot.current = undefined;
    if (!isDeath) return;
    if (performance.now() - worker.startedAt > GOOD_LIFE_MS) slot.deaths = 0;
    const restartInMs = RESTART_DELAYS_MS[slot.deaths] ?? RESTART_DELAYS_MS.at(-1) ?? 0;
    slot.deaths++;
    log.error(
      { worker: worker.number, pid: worker.child.pid, ...cause, restartInMs },
      'a worker died; another one takes its place',
    );
    if (!slot.next) this.#restart(slot, restartInMs);
  }

  #restart(slot: Slot, delayMs: number): void {
    slot.restart = setTimeout(() => {
      if (this.#isStopping || slot.current || slot.next) return;
      slot.current = this.#fork(slot);
    }, delayMs);
  }

  async #killAll(): Promise<void> {
    for (const { child } of this.#processes) child.kill('SIGKILL');
    await Promise.all([...this.#processes].map(({ ended }) => ended));
    this.#closePorts();
  }

  #closePorts(): void {
    for (const sockets of this.#options.ports) sockets.close();
  }
}
