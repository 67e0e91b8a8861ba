import { GatheredBytes } from '../http/gathered-bytes.ts';
import { DEFAULT_WINDOW } from './frames.ts';

/** What a stream needs of its connection. */
export interface StreamHost {
  /** Sends what the stream has pending, as far as the windows allow, soon. */
  sendPending(stream: ServerStream): void;
  /** The body's reader has taken bytes: the client may send as many more. */
  taken(stream: ServerStream, bytes: number): void;
}

interface BodyReader {
  left: number;
  readonly gathered: GatheredBytes;
  readonly resolve: (body: Buffer | undefined) => void;
}

/** A request and its response. */
export class ServerStream {
  readonly id: number;
  readonly #host: StreamHost;
  /** Bytes that may be sent to the client, and that it may send. */
  sendWindow: number;
  receiveWindow = DEFAULT_WINDOW;
  /** Bytes that were consumed, of which the client has not been told. */
  credit = 0;
  /** The client has sent all of its request. */
  isRemoteEnded = false;
  isClosed = false;
  /** The headers of the response are on their way. */
  isAnswered = false;
  /** When it began, and when it last went on, by `performance.now`. */
  readonly begunAt = performance.now();
  progressAt = this.begunAt;

  /** What is to be sent next. */
  pending: Buffer | undefined;
  /** More comes after `pending`. */
  hasMore = false;
  #whenSent: (() => void) | undefined;

  /** Of the request's Content-Length, what has not come; undefined where it has none. */
  missing: number | undefined;
  /** What has come of the body and nobody has read, all of it within the client's first window. */
  #unread: GatheredBytes | undefined;
  unreadBytes = 0;
  #body: Promise<Buffer | undefined> | undefined;
  #reader: BodyReader | undefined;
  #closeListeners: (() => void)[] | undefined;

  constructor(id: number, host: StreamHost, sendWindow: number) {
    this.id = id;
    this.#host = host;
    this.sendWindow = sendWindow;
  }

  /** As `ReadBody` has it. */
  readBody(maxBytes: number): Promise<Buffer | undefined> {
    this.#body ??= new Promise((resolve) => {
      this.#reader = { left: maxBytes, gathered: new GatheredBytes(maxBytes), resolve };
      if (this.isClosed) {
        this.#endBody(false);
        return;
      }
      const [unread, bytes] = [this.#unread, this.unreadBytes];
      this.#unread = undefined;
      this.unreadBytes = 0;
      if (unread) this.#read(unread.bytes);
      if (bytes > 0) this.#host.taken(this, bytes);
      if (this.isRemoteEnded) this.#endBody(true);
    });
    return this.#body;
  }

  /** A part of the body has come. */
  receive(data: Buffer): void {
    if (this.#reader) {
      this.#read(data);
      this.#host.taken(this, data.length);
    } else {
      if (this.#body === undefined) {
        this.#unread ??= new GatheredBytes(DEFAULT_WINDOW);
        this.#unread.add(data);
      }
      this.unreadBytes += data.length;
    }
  }

  receiveEnd(): void {
    this.isRemoteEnded = true;
    this.#endBody(true);
  }

  #read(data: Buffer): void {
    const reader = this.#reader;
    if (!reader) return;
    reader.left -= data.length;
    if (reader.left >= 0) reader.gathered.add(data);
    else this.#endBody(false);
  }

  #endBody(isWhole: boolean): void {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.resolve(isWhole ? reader.gathered.bytes : undefined);
  }

  /** Sends a part of a body whose length is not known; resolves when the next one may follow, or the stream is closed. */
  sendPart(part: Buffer): Promise<void> {
    if (this.isClosed || part.length === 0) return Promise.resolve();
    this.pending = part;
    this.hasMore = true;
    return new Promise((resolve) => {
      this.#whenSent = resolve;
      this.#host.sendPending(this);
    });
  }

  /** All parts have been sent. */
  endParts(): void {
    this.hasMore = false;
    this.pending ??= Buffer.alloc(0);
    if (!this.isClosed) this.#host.sendPending(this);
  }

  /** What was pending has been sent. */
  sent(): void {
    const whenSent = this.#whenSent;
    this.#whenSent = undefined;
    whenSent?.();
  }

  onClose(listener: () => void): void {
    if (this.isClosed) listener();
    else if (this.#closeListeners) this.#closeListeners.push(listener);
    else this.#closeListeners = [listener];
  }

  /** The connection has closed it. */
  closed(): void {
    this.isClosed = true;
    this.pending = undefined;
    this.#unread = undefined;
    this.#endBody(false);
    this.sent();
    for (const listener of this.#closeListeners ?? []) listener();
  }
}
