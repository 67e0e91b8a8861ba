import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Machine } from '../machines/machine.ts';
import type { Violation } from './history.ts';
import type { Figures } from './statistics.ts';
import type { Address, Machines, State } from './watch.ts';

const PROGRAM = new URL('checker-process.ts', import.meta.url).pathname;

type Said<K extends FromChecker['said']> = Extract<FromChecker, { said: K }>;

interface Events {
  violation: [Violation];
  second: [State, Measured];
  said: [FromChecker];
}

/** Clients of the API, in a process of their own, that check the responses against each other. */
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

  /** The figures since the last call for the same period. */
  async measure(of: Span): Promise<Measured> {
    return (await this.#ask({ do: 'measure', of }, 'measured')).measured;
  }

  /**
   * Sends requests of their own to these API machines from now on. Returns the figures of those that got them until
   * now.
   */
  async askAlone(machines: readonly Machine[]): Promise<readonly Alone[]> {
    const apis = machines.map(({ name, address }) => ({ name, address }));
    return (await this.#ask({ do: 'ask-alone', apis }, 'alone')).alone;
  }

  /** Sends JSON to a machine, and returns the response. */
  async post(url: string, body: object): Promise<Said<'posted'>> {
    return this.#ask({ do: 'post', url, body }, 'posted');
  }

  /** Stops the clients, and compares the responses that they got with what is stored. */
  async end(): Promise<void> {
    await this.#ask({ do: 'end' }, 'ended');
    this.#child.disconnect();
  }

  /** Resolves when the machines are in the wanted state. Rejects with a sentence after `limitMs`. */
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

  async #ask<K extends FromChecker['said']>(message: ToChecker, kind: K): Promise<Said<K>> {
    this.#child.send(message);
    for (;;) {
      const [said] = (await once(this, 'said')) as [FromChecker];
      if (said.said === kind) return said as Said<K>;
    }
  }
}

/** What the checker, a process in the network of the cluster, is told at its start. */
export interface Order {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly machines: Machines;
}

/** What the checker is told later. */
export type ToChecker =
  | { readonly do: 'begin'; readonly order: Order }
  /** Return the figures since the last `measure` of the same period. */
  | { readonly do: 'measure'; readonly of: Span }
  /**
   * Send requests of their own to these API machines from now on; return the figures of those that got them until now.
   */
  | { readonly do: 'ask-alone'; readonly apis: readonly Address[] }
  /** Send a request to one of the machines, as an operator does. */
  | { readonly do: 'post'; readonly url: string; readonly body: object }
  /** Stop the clients and compare. */
  | { readonly do: 'end' };

/** The period of figures: a fault, from one healthy cluster to the next, or only the time of its cause. */
export type Span = 'trial' | 'cause';

/** The figures of a period. */
export interface Measured {
  readonly reads: Figures;
  readonly writes: Figures;
  readonly acknowledged: number;
}

/** The outcome of requests to one API machine, past the balancers. */
export interface Alone {
  readonly name: string;
  readonly reads: Figures;
  readonly writes: Figures;
}

/** The messages of the checker. */
export type FromChecker =
  | { readonly said: 'second'; readonly state: State; readonly measured: Measured }
  | { readonly said: 'violation'; readonly violation: Violation }
  | { readonly said: 'begun' }
  | { readonly said: 'measured'; readonly measured: Measured }
  | { readonly said: 'alone'; readonly alone: readonly Alone[] }
  | { readonly said: 'posted'; readonly status: number; readonly text: string }
  | { readonly said: 'ended' };
