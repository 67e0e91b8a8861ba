/** One end of the channel between a process and its child: `process`, or a `ChildProcess`. */
interface Port {
  readonly connected: boolean;
  // Node's types have it only where there is a parent.
  send?(message: unknown, callback?: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/** What the other process may request, by name. What a handler returns, or resolves with, is the response. */
export type Handlers = Readonly<Record<string, (value: never) => unknown>>;

/** A request has a number, and its response the same number. A message with neither is a notification. */
interface Message {
  readonly request?: number;
  readonly response?: number;
  readonly name?: string;
  readonly value?: unknown;
  readonly error?: string;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** The other process ended before it responded, or before it received the request. */
class ChannelClosedError extends Error {
  override name = 'ChannelClosedError';
}

/** Requests and responses between two processes, over the channel of `fork` with `serialization: 'advanced'`. */
export class Channel {
  readonly #port: Port;
  readonly #handlers: Handlers;
  readonly #waiting = new Map<number, Waiting>();
  #requests = 0;

  constructor(port: Port, handlers: Handlers) {
    this.#port = port;
    this.#handlers = handlers;
    port.on('message', (message) => this.#receive(message as Message));
    port.on('disconnect', () => {
      for (const { reject } of this.#waiting.values()) reject(closed());
      this.#waiting.clear();
    });
  }

  /** Resolves with the response. Rejects with ChannelClosedError, or with what the handler threw, as an Error. */
  request<T>(name: string, value?: unknown): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const request = ++this.#requests;
      this.#waiting.set(request, { resolve, reject });
      this.#send({ request, name, value }, () => {
        this.#waiting.delete(request);
        reject(closed());
      });
    });
  }

  /** Sends a message that has no response. It is lost where the other process has ended. */
  notify(name: string, value?: unknown): void {
    this.#send({ name, value }, () => undefined);
  }

  #send(message: Message, onFailure: () => void): void {
    if (!this.#port.connected) onFailure();
    else this.#port.send?.(message, (error) => error && onFailure());
  }

  async #receive({ request, response, name = '', value, error }: Message): Promise<void> {
    if (response !== undefined) {
      const waiting = this.#waiting.get(response);
      this.#waiting.delete(response);
      if (error === undefined) waiting?.resolve(value as never);
      else waiting?.reject(new Error(error));
      return;
    }
    const handle = this.#handlers[name];
    if (!handle) throw new Error(`this process has no handler for ${name}`);
    if (request === undefined) {
      handle(value as never);
      return;
    }
    const message = await Promise.try(() => handle(value as never)).then(
      (result) => ({ response: request, value: result }),
      (failure) => ({ response: request, error: String(failure) }),
    );
    this.#send(message, () => undefined);
  }
}

function closed(): ChannelClosedError {
  return new ChannelClosedError('the other process has ended');
}
