/** What a process and one that it started say to each other through: `process`, or a `ChildProcess`. */
interface Port {
  readonly connected: boolean;
  // Node's types name it only where there is a parent.
  send?(message: unknown, callback?: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/** What the other side may ask for, by name; what it gives, or resolves with, is the answer. */
export type Handlers = Readonly<Record<string, (value: never) => unknown>>;

/** `ask` numbers a question, `answer` has the number of its own; a message with neither wants no answer. */
interface Message {
  readonly ask?: number;
  readonly answer?: number;
  readonly name?: string;
  readonly value?: unknown;
  readonly error?: string;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** The other process has ended, or never heard the question. */
class ChannelClosedError extends Error {
  override name = 'ChannelClosedError';
}

/** Questions and answers between two processes, over the channel of `fork` with `serialization: 'advanced'`. */
export class Channel {
  readonly #port: Port;
  readonly #handlers: Handlers;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  constructor(port: Port, handlers: Handlers) {
    this.#port = port;
    this.#handlers = handlers;
    port.on('message', (message) => this.#receive(message as Message));
    port.on('disconnect', () => {
      for (const { reject } of this.#waiting.values()) reject(closed());
      this.#waiting.clear();
    });
  }

  /** Resolves with the answer. Rejects with ChannelClosedError, or with what the handler threw, as an Error. */
  ask<T>(name: string, value?: unknown): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const ask = ++this.#asked;
      this.#waiting.set(ask, { resolve, reject });
      this.#send({ ask, name, value }, () => {
        this.#waiting.delete(ask);
        reject(closed());
      });
    });
  }

  /** Says something that wants no answer; a process that has ended does not hear it. */
  tell(name: string, value?: unknown): void {
    this.#send({ name, value }, () => undefined);
  }

  #send(message: Message, onFailure: () => void): void {
    if (!this.#port.connected) onFailure();
    else this.#port.send?.(message, (error) => error && onFailure());
  }

  async #receive({ ask, answer, name = '', value, error }: Message): Promise<void> {
    if (answer !== undefined) {
      const waiting = this.#waiting.get(answer);
      this.#waiting.delete(answer);
      if (error === undefined) waiting?.resolve(value as never);
      else waiting?.reject(new Error(error));
      return;
    }
    const handle = this.#handlers[name];
    if (!handle) throw new Error(`nobody here answers to ${name}`);
    if (ask === undefined) {
      handle(value as never);
      return;
    }
    const response = await Promise.try(() => handle(value as never)).then(
      (given) => ({ answer: ask, value: given }),
      (failure) => ({ answer: ask, error: String(failure) }),
    );
    this.#send(response, () => undefined);
  }
}

function closed(): ChannelClosedError {
  return new ChannelClosedError('the other process has ended');
}
