import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Machine } from '../machines/machine.ts';
import type { Violation } from './history.ts';
import type { Figures } from './statistics.ts';
import type { Machines, State } from './watch.ts';

const PROGRAM = new URL('checker-process.ts', import.meta.url).pathname;

type Said<K extends FromChecker['said']> = Extract<FromChecker, { said: K }>;

interface Events {
  violation: [Violation];
  second: [State, Measured];
  said: [FromChecker];
}

/** Clients of the API in a process of their own, who compare what they are told. */
export class Checker extends EventEmitter<Events> {
  readonly #child: ChildProcess;
  state: State = { databases: [], apis: [], balancers: [] };

  /** Starts the clients on a machine; they begin when `begin` is called. */
  constructor(machine: Machine) {
    super();
    const [enter, ...into] = machine.entrance;
    this.#child = spawn(enter, [...into, process.execPath, PROGRAM], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (message: FromChecker) => {
      if (message.said === 'violation') this.emit('violation', message.violation);
      else if (message.said === 'second') {
        this.state = message.state;
        this.emit('second', message.state, message.measured);
      } else this.emit('said', message);
    });
    this.#child.once('exit', (code) => {
      const what = `The checker ended with code ${code}.`;
      if (code !== null && code > 0) this.emit('violation', { kind: 'no response', what });
    });
  }

  /** The clients begin; resolves when the first writes have succeeded. */
  async begin(order: Order): Promise<void> {
    await this.#ask({ do: 'begin', order }, 'begun');
  }

  /** The figures since the last time. */
  async measure(): Promise<Measured> {
    return (await this.#ask({ do: 'measure' }, 'measured')).measured;
  }

  /** Sends JSON to a machine, and gives what it answers. */
  async post(url: string, body: object): Promise<Said<'posted'>> {
    return this.#ask({ do: 'post', url, body }, 'posted');
  }

  /** Stops the clients, and compares what they were told with what is there. */
  async end(): Promise<void> {
    await this.#ask({ do: 'end' }, 'ended');
    this.#child.disconnect();
  }

  /** Resolves when the state of the machines is as it is to be. Rejects with a sentence after `limitMs`. */
  async until(
    what: string,
    isSo: (state: State, measured: Measured) => boolean,
    limitMs = 60_000,
  ): Promise<void> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const [state, measured] = (await once(this, 'second')) as Events['second'];
      if (isSo(state, measured)) return;
      if (performance.now() > deadline)
        throw new Error(`${limitMs / 1000} s have passed before ${what}.`);
    }
  }

  async #ask<K extends FromChecker['said']>(message: ToChecker, answer: K): Promise<Said<K>> {
    this.#child.send(message);
    for (;;) {
      const [said] = (await once(this, 'said')) as [FromChecker];
      if (said.said === answer) return said as Said<K>;
    }
  }
}

/** What the checker, a process of its own in the network of the cluster, is told at its start. */
export interface Order {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly machines: Machines;
}

/** What the checker is told later. */
export type ToChecker =
  | { readonly do: 'begin'; readonly order: Order }
  /** Give the figures since the last `measure`, and begin anew. */
  | { readonly do: 'measure' }
  /** Ask one of the machines, as an operator does. */
  | { readonly do: 'post'; readonly url: string; readonly body: object }
  /** Stop the clients and compare. */
  | { readonly do: 'end' };

/** The figures of some time. */
export interface Measured {
  readonly reads: Figures;
  readonly writes: Figures;
  readonly acknowledged: number;
}

/** What the checker says. */
export type FromChecker =
  | { readonly said: 'second'; readonly state: State; readonly measured: Measured }
  | { readonly said: 'violation'; readonly violation: Violation }
  | { readonly said: 'begun' }
  | { readonly said: 'measured'; readonly measured: Measured }
  | { readonly said: 'posted'; readonly status: number; readonly text: string }
  | { readonly said: 'ended' };
