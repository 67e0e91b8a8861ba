import type { TLSSocket } from 'node:tls';
import type { Timeouts } from '../connections/limits.ts';
import { MAX_HEADER_BYTES } from '../connections/limits.ts';
import { checkSettingsSize, initialWindowSizesIn } from './client-settings.ts';
import {
  ConnectionError,
  enhanceYourCalm,
  flowControlError,
  frameSizeError,
  protocolError,
} from './connection-error.ts';
import { FrameReader, type FrameTarget } from './frame-reader.ts';
import {
  DEFAULT_WINDOW,
  ERROR_CODE,
  FLAG,
  FRAME_HEADER_BYTES,
  FRAME_TYPE,
  frameOf,
  goawayFrame,
  MAX_PAYLOAD_BYTES,
  MAX_STREAM_ID,
  MAX_WINDOW,
  numbersFrame,
  SETTING,
  settingsFrame,
  writeHead,
} from './frames.ts';
import { type HeaderBlock, HeaderBlocks } from './header-blocks.ts';
import { CompressionError, HeaderDecoder } from './hpack/decode.ts';
import { MAX_QUEUED_BYTES, Outbox } from './outbox.ts';
import { withoutPadding } from './padding.ts';
import type { SendBuffer } from './send-buffers.ts';
import { ServerStream, type StreamHost } from './stream.ts';
import { TokenBucket } from './token-bucket.ts';
import { writeSoon } from './write-soon.ts';

/** RFC 9113, section 5.1.2 wants no fewer. */
const MAX_STREAMS = 100;

/** Streams that a client may reset, or end by its mistakes (CVE-2023-44487, CVE-2025-8671). */
const RESET_BURST = 200;
const RESETS_PER_SECOND = 20;

/** Frames that bring nothing, or want a reply: PING, SETTINGS, PRIORITY, empty DATA, late HEADERS, unknown ones. */
const IDLE_FRAME_BURST = 1_000;
const IDLE_FRAMES_PER_SECOND = 50;

/** Of content, where many streams have something to send: so each gets its turn before it counts as stalled. */
const MIN_CHUNK_BYTES = 2 * 1024;

/** How much the client's window may shrink before it is told to send more. */
const WINDOW_STEP = DEFAULT_WINDOW / 2;

/** Time for the last frames to be sent, in milliseconds; after it the connection is closed. */
const LAST_WORDS_MS = 1_000;

/**
 * From the announcement of the end to the last GOAWAY, in milliseconds: requests from before the client heard have
 * arrived by then (RFC 9113, section 6.8).
 */
const RETIRE_MS = 1_000;

/** Streams that were reset here, and of which frames may be on their way. */
const REMEMBERED_RESETS = 200;

const SETTINGS = settingsFrame([
  [SETTING.enablePush, 0],
  [SETTING.maxConcurrentStreams, MAX_STREAMS],
  [SETTING.maxHeaderListSize, MAX_HEADER_BYTES],
]);
const SETTINGS_ACK = frameOf(FRAME_TYPE.settings, FLAG.ack, 0);

/**
 * In front of the first headers: the encoder uses no table. A client that wants a smaller one than at first waits for
 * such a word (RFC 7541, section 4.2), and takes headers without it for a mistake.
 */
const NO_TABLE = Buffer.from([0x20]);

export interface ConnectionOptions {
  readonly socket: TLSSocket;
  readonly buffer: SendBuffer;
  readonly timeouts: Timeouts;
  /** `headers`: names and values in turn, as they came; undefined where they are too long. */
  readonly onRequest: (stream: ServerStream, headers: readonly string[] | undefined) => void;
  /** A mistake of this program. It ends the connection, and nothing else. */
  readonly onFault: (error: unknown) => void;
}

/**
 * The server's side of a connection of HTTP/2 (RFC 9113), without push and priorities. All that a client can make it
 * keep or do is bounded: streams, header blocks, bodies that nobody reads, resets, frames that bring nothing, and bytes
 * that it does not take.
 */
export class Http2Connection implements StreamHost, FrameTarget {
  readonly #socket: TLSSocket;
  readonly #timeouts: Timeouts;
  readonly #onRequest: ConnectionOptions['onRequest'];
  readonly #onFault: ConnectionOptions['onFault'];
  readonly #decoder = new HeaderDecoder();
  readonly #resets = new TokenBucket(RESET_BURST, RESETS_PER_SECOND);
  readonly #idleFrames = new TokenBucket(IDLE_FRAME_BURST, IDLE_FRAMES_PER_SECOND);

  readonly #streams = new Map<number, ServerStream>();
  /** Those with something to send, and a window for it. */
  readonly #ready = new Set<ServerStream>();
  readonly #resetHere = new Set<number>();
  #lastStream = 0;
  /** Later streams are not answered. */
  #lastAllowed = MAX_STREAM_ID;

  readonly #frames = new FrameReader(this);
  readonly #blocks = new HeaderBlocks();
  #hasSettings = false;

  #sendWindow = DEFAULT_WINDOW;
  #initialWindow = DEFAULT_WINDOW;
  #receiveWindow = DEFAULT_WINDOW;
  /** Bytes that were consumed, of which the client has not been told. */
  #credit = 0;

  #hasSentHeaders = false;
  readonly #outbox: Outbox;
  /** Nothing more is read of the client until it has taken some. */
  #isBehind = false;

  /** Ends once its streams have. */
  #isClosing = false;
  #isEnded = false;
  readonly #idle: NodeJS.Timeout;
  #watch: NodeJS.Timeout | undefined;

  constructor({ socket, buffer, timeouts, onRequest, onFault }: ConnectionOptions) {
    this.#socket = socket;
    this.#outbox = new Outbox(socket, buffer, () => this.#onDrained());
    this.#timeouts = timeouts;
    this.#onRequest = onRequest;
    this.#onFault = onFault;
    this.#idle = setTimeout(() => {
      if (this.#streams.size === 0) this.close();
    }, timeouts.keepAlive).unref();
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    // What was asked before its end is answered.
    socket.on('end', () => this.#finish());
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#closed());
    this.#write(SETTINGS);
  }

  /** Tells the client to open no more streams, and closes the connection a second later, as `close` does. */
  retire(): void {
    if (this.#isClosing) return;
    this.#write(goawayFrame(MAX_STREAM_ID, ERROR_CODE.noError));
    setTimeout(() => this.close(), RETIRE_MS).unref();
  }

  /** Closes the connection once its streams have ended. Later ones are not answered, and their clients know it. */
  close(): void {
    if (this.#isClosing) return;
    this.#lastAllowed = this.#lastStream;
    this.#write(goawayFrame(this.#lastStream, ERROR_CODE.noError));
    this.#finish();
  }

  #finish(): void {
    this.#isClosing = true;
    if (this.#streams.size === 0) this.#end(this.#timeouts.headers);
  }

  /** Ends the connection after what is to be sent. The client may never take it. */
  #end(withinMs: number): void {
    if (this.#isEnded) return;
    this.flush();
    this.#isEnded = true;
    this.#socket.end();
    // What still comes is dropped; paused, its end would never be seen.
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), withinMs).unref();
  }

  #fail({ code, message }: ConnectionError): void {
    this.#write(goawayFrame(this.#lastStream, code, message));
    for (const stream of this.#streams.values()) stream.closed();
    this.#streams.clear();
    this.#ready.clear();
    this.#isClosing = true;
    this.#end(LAST_WORDS_MS);
  }

  #closed(): void {
    this.#isEnded = true;
    this.#isClosing = true;
    clearTimeout(this.#idle);
    clearInterval(this.#watch);
    for (const stream of this.#streams.values()) stream.closed();
    this.#streams.clear();
    this.#ready.clear();
  }

  // What comes from the client.

  #receive(bytes: Buffer): void {
    if (this.#isEnded) return;
    try {
      this.#frames.read(bytes);
    } catch (error) {
      if (error instanceof CompressionError) {
        this.#fail(new ConnectionError(ERROR_CODE.compressionError, error.message));
      } else if (error instanceof ConnectionError) this.#fail(error);
      else this.#faulted(error);
    }
  }

  #faulted(error: unknown): void {
    this.#onFault(error);
    this.#socket.destroy();
  }

  /** As FrameTarget has it. */
  mayReadFrame(): boolean {
    if (this.#isEnded) return false;
    if (this.#outbox.queuedBytes <= MAX_QUEUED_BYTES) return true;
    this.#isBehind = true;
    this.#socket.pause();
    return false;
  }

  /** As FrameTarget has it. */
  readFrame(type: number, flags: number, stream: number, payload: Buffer): void {
    if (!this.#hasSettings && (type !== FRAME_TYPE.settings || flags & FLAG.ack)) {
      throw protocolError('the first frame is not SETTINGS');
    }
    this.#blocks.checkMayCome(type, stream);
    switch (type) {
      case FRAME_TYPE.headers:
        this.#readHeaders(flags, stream, payload);
        return;
      case FRAME_TYPE.continuation:
        this.#readBlock(this.#blocks.continueBlock(flags, payload));
        return;
      case FRAME_TYPE.data:
        this.#readData(flags, stream, payload);
        return;
      case FRAME_TYPE.windowUpdate:
        this.#readWindowUpdate(stream, payload);
        return;
      case FRAME_TYPE.reset:
        this.#readReset(stream, payload);
        return;
      case FRAME_TYPE.settings:
        this.#readSettings(flags, stream, payload);
        return;
      case FRAME_TYPE.ping:
        this.#readPing(flags, stream, payload);
        return;
      case FRAME_TYPE.priority:
        this.#readPriority(stream, payload);
        return;
      case FRAME_TYPE.goaway:
        if (stream !== 0) throw protocolError('GOAWAY belongs to the connection, not to a stream');
        if (payload.length < 8) throw frameSizeError('GOAWAY is shorter than 8 bytes');
        this.#finish();
        return;
      case FRAME_TYPE.pushPromise:
        throw protocolError('clients must not push');
      default:
        this.#countIdleFrame();
    }
  }

  #countIdleFrame(): void {
    if (!this.#idleFrames.take()) throw enhanceYourCalm('too many frames that do nothing');
  }

  #countReset(): void {
    if (!this.#resets.take()) throw enhanceYourCalm('too many streams were reset');
  }

  #readHeaders(flags: number, id: number, payload: Buffer): void {
    if (id % 2 === 0) throw protocolError('clients open streams with odd identifiers');
    const isNew = id > this.#lastStream;
    const known = this.#streams.get(id);
    if (!isNew && !known && !this.#resetHere.has(id)) {
      throw new ConnectionError(ERROR_CODE.streamClosed, 'HEADERS for a closed stream');
    }
    if (isNew) this.#lastStream = id;
    this.#readBlock(this.#blocks.begin(flags, id, payload));
  }

  #readBlock(block: HeaderBlock | undefined): void {
    if (!block) return;
    const { stream: id, endsStream, bytes } = block;
    // In any case: later blocks refer to it.
    const headers = this.#decoder.decode(bytes, MAX_HEADER_BYTES);
    // To decode what is too long takes milliseconds, for nothing.
    if (!headers) this.#countReset();
    const known = this.#streams.get(id);
    if (known) {
      this.#readTrailers(known, endsStream, headers);
      return;
    }
    if (this.#resetHere.has(id) || id > this.#lastAllowed) {
      this.#countIdleFrame();
      return;
    }
    if (this.#isClosing || this.#streams.size >= MAX_STREAMS) {
      this.#countReset();
      this.#reset(id, ERROR_CODE.refusedStream);
      return;
    }
    const stream = new ServerStream(id, this, this.#initialWindow);
    stream.isRemoteEnded = endsStream;
    this.#streams.set(id, stream);
    this.#onRequest(stream, headers);
    if (!stream.isClosed) this.#watchStreams();
  }

  #readTrailers(
    stream: ServerStream,
    endsStream: boolean,
    headers: readonly string[] | undefined,
  ): void {
    if (stream.isRemoteEnded) {
      this.#refuse(stream, ERROR_CODE.streamClosed);
      return;
    }
    const isValid = endsStream && headers?.every((text, at) => at % 2 === 1 || text[0] !== ':');
    if (isValid) this.#endRequest(stream);
    else this.#refuse(stream, ERROR_CODE.protocolError);
  }

  #endRequest(stream: ServerStream): void {
    if (stream.missing) {
      this.#refuse(stream, ERROR_CODE.protocolError);
      return;
    }
    stream.receiveEnd();
  }

  #readData(flags: number, id: number, payload: Buffer): void {
    this.#receiveWindow -= payload.length;
    if (this.#receiveWindow < 0)
      throw flowControlError('DATA beyond the flow-control window of the connection');
    if (id === 0 || id > this.#lastStream) {
      throw protocolError('DATA for an idle stream');
    }
    const data = withoutPadding(flags, payload);
    const endsStream = (flags & FLAG.endStream) !== 0;
    if (data.length === 0 && !endsStream) this.#countIdleFrame();
    const stream = this.#streams.get(id);
    if (!stream || stream.isRemoteEnded) {
      this.#allowMore(payload.length);
      if (stream) this.#refuse(stream, ERROR_CODE.streamClosed);
      else if (!this.#resetHere.has(id)) {
        this.#countReset();
        this.#reset(id, ERROR_CODE.streamClosed);
      }
      return;
    }
    stream.receiveWindow -= payload.length;
    if (stream.receiveWindow < 0) {
      this.#allowMore(payload.length);
      this.#refuse(stream, ERROR_CODE.flowControlError);
      return;
    }
    stream.progressAt = performance.now();
    if (stream.missing !== undefined) {
      stream.missing -= data.length;
      if (stream.missing < 0) {
        this.#allowMore(payload.length);
        this.#refuse(stream, ERROR_CODE.protocolError);
        return;
      }
    }
    const padding = payload.length - data.length;
    if (padding > 0) this.taken(stream, padding);
    stream.receive(data);
    if (endsStream) this.#endRequest(stream);
  }

  /** Bytes were consumed: the client may send as many more, on any stream. It is told in large steps. */
  #allowMore(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit < WINDOW_STEP) return;
    this.#write(numbersFrame(FRAME_TYPE.windowUpdate, 0, this.#credit));
    this.#receiveWindow += this.#credit;
    this.#credit = 0;
  }

  /** As StreamHost has it. */
  taken(stream: ServerStream, bytes: number): void {
    this.#allowMore(bytes);
    stream.credit += bytes;
    if (stream.credit < WINDOW_STEP || stream.isRemoteEnded) return;
    this.#write(numbersFrame(FRAME_TYPE.windowUpdate, stream.id, stream.credit));
    stream.receiveWindow += stream.credit;
    stream.credit = 0;
  }

  #readWindowUpdate(id: number, payload: Buffer): void {
    if (payload.length !== 4) throw frameSizeError('WINDOW_UPDATE is not 4 bytes long');
    const step = payload.readUInt32BE(0) & MAX_WINDOW;
    if (id > this.#lastStream) throw protocolError('WINDOW_UPDATE for an idle stream');
    if (id === 0) {
      if (step === 0) throw protocolError('WINDOW_UPDATE with an increment of 0');
      this.#sendWindow += step;
      if (this.#sendWindow > MAX_WINDOW) {
        throw flowControlError('a flow-control window is too large');
      }
      if (this.#ready.size > 0) writeSoon(this);
      return;
    }
    const stream = this.#streams.get(id);
    if (!stream) return;
    if (step === 0) {
      this.#refuse(stream, ERROR_CODE.protocolError);
      return;
    }
    stream.sendWindow += step;
    if (stream.sendWindow > MAX_WINDOW) {
      this.#refuse(stream, ERROR_CODE.flowControlError);
      return;
    }
    if (stream.pending) this.sendPending(stream);
  }

  #readReset(id: number, payload: Buffer): void {
    if (payload.length !== 4) throw frameSizeError('RST_STREAM is not 4 bytes long');
    if (id === 0 || id > this.#lastStream) {
      throw protocolError('RST_STREAM for an idle stream');
    }
    this.#countReset();
    const stream = this.#streams.get(id);
    if (stream) this.#closeStream(stream);
  }

  #readSettings(flags: number, id: number, payload: Buffer): void {
    checkSettingsSize(flags, id, payload);
    this.#hasSettings = true;
    this.#countIdleFrame();
    if (flags & FLAG.ack) return;
    for (const window of initialWindowSizesIn(payload)) this.#setInitialWindow(window);
    this.#write(SETTINGS_ACK);
  }

  #setInitialWindow(window: number): void {
    const step = window - this.#initialWindow;
    this.#initialWindow = window;
    for (const stream of this.#streams.values()) {
      stream.sendWindow += step;
      if (stream.sendWindow > MAX_WINDOW) {
        throw flowControlError('a flow-control window is too large');
      }
      if (stream.pending) this.sendPending(stream);
    }
  }

  #readPing(flags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw protocolError('PING belongs to the connection, not to a stream');
    if (payload.length !== 8) throw frameSizeError('PING is not 8 bytes long');
    this.#countIdleFrame();
    if (!(flags & FLAG.ack)) this.#write(frameOf(FRAME_TYPE.ping, FLAG.ack, 0, payload));
  }

  /** Priorities are ignored (RFC 9113, section 5.3.2). */
  #readPriority(id: number, payload: Buffer): void {
    if (id === 0) throw protocolError('PRIORITY without a stream');
    this.#countIdleFrame();
    const isSelf = payload.length === 5 && (payload.readUInt32BE(0) & MAX_STREAM_ID) === id;
    if (payload.length === 5 && !isSelf) return;
    const code = isSelf ? ERROR_CODE.protocolError : ERROR_CODE.frameSizeError;
    const stream = this.#streams.get(id);
    if (stream) this.#refuse(stream, code);
    else
      throw new ConnectionError(
        code,
        'PRIORITY is not 5 bytes long, or makes a stream depend on itself',
      );
  }

  // What goes to the client.

  /**
   * Sends the headers of a response, which `encodeHeaders` made, and its whole content, where it has one. `content`
   * empty: there is none. `parts`: it follows, by `sendPart`.
   */
  respond(stream: ServerStream, headers: Buffer, content: Buffer, parts = false): void {
    if (stream.isClosed) return;
    stream.isAnswered = true;
    const block = this.#blockOf(headers);
    const isEmpty = content.length === 0 && !parts;
    const { id } = stream;
    const canFollow =
      content.length <= MAX_PAYLOAD_BYTES &&
      content.length <= Math.min(stream.sendWindow, this.#sendWindow) &&
      this.#ready.size === 0 &&
      this.#outbox.queuedBytes < MAX_QUEUED_BYTES;
    if (isEmpty || parts || !canFollow || block.length > MAX_PAYLOAD_BYTES) {
      this.#writeHeaders(id, block, isEmpty);
      if (isEmpty) this.#responded(stream);
      else if (!parts) {
        stream.pending = content;
        this.sendPending(stream);
      }
      return;
    }
    // Most responses: the heads of both frames and the headers are one piece.
    const head = Buffer.allocUnsafe(2 * FRAME_HEADER_BYTES + block.length);
    const { headers: type, data } = FRAME_TYPE;
    let at = writeHead(head, 0, { length: block.length, type, flags: FLAG.endHeaders, stream: id });
    at += block.copy(head, at);
    writeHead(head, at, {
      ...{ length: content.length, type: data, flags: FLAG.endStream, stream: id },
    });
    this.#write(head);
    this.#write(content);
    this.#sendWindow -= content.length;
    this.#responded(stream);
  }

  /** Headers in front of the response's own, such as those of status 100. */
  inform(stream: ServerStream, headers: Buffer): void {
    if (!stream.isClosed) this.#writeHeaders(stream.id, this.#blockOf(headers), false);
  }

  #blockOf(headers: Buffer): Buffer {
    if (this.#hasSentHeaders) return headers;
    this.#hasSentHeaders = true;
    return Buffer.concat([NO_TABLE, headers]);
  }

  #writeHeaders(id: number, block: Buffer, endsStream: boolean): void {
    for (let at = 0; at === 0 || at < block.length; at += MAX_PAYLOAD_BYTES) {
      const part = block.subarray(at, at + MAX_PAYLOAD_BYTES);
      const isLast = at + part.length >= block.length;
      const flags = (isLast ? FLAG.endHeaders : 0) | (at === 0 && endsStream ? FLAG.endStream : 0);
      this.#write(
        frameOf(at === 0 ? FRAME_TYPE.headers : FRAME_TYPE.continuation, flags, id, part),
      );
    }
  }

  /** As StreamHost has it. */
  sendPending(stream: ServerStream): void {
    this.#ready.add(stream);
    writeSoon(this);
  }

  /** Ends a stream that breaks the rules, or cannot be answered, and tells the client. */
  refuse(stream: ServerStream, code: number): void {
    if (stream.isClosed) return;
    this.#reset(stream.id, code);
    this.#closeStream(stream);
  }

  /** A request that is malformed (RFC 9113, section 8.1.1). */
  refuseRequest(stream: ServerStream): void {
    this.#refuse(stream, ERROR_CODE.protocolError);
  }

  /** The client's mistake: it may not make very many. */
  #refuse(stream: ServerStream, code: number): void {
    this.#countReset();
    this.refuse(stream, code);
  }

  #reset(id: number, code: number): void {
    this.#resetHere.add(id);
    if (this.#resetHere.size > REMEMBERED_RESETS) {
      for (const oldest of this.#resetHere) {
        this.#resetHere.delete(oldest);
        break;
      }
    }
    this.#write(numbersFrame(FRAME_TYPE.reset, id, code));
  }

  /** The whole response is on its way. Of a body that nobody wants, the rest need not come (RFC 9113, section 8.1). */
  #responded(stream: ServerStream): void {
    if (!stream.isRemoteEnded) this.#reset(stream.id, ERROR_CODE.noError);
    this.#closeStream(stream);
  }

  #closeStream(stream: ServerStream): void {
    this.#streams.delete(stream.id);
    this.#ready.delete(stream);
    this.#allowMore(stream.unreadBytes);
    stream.closed();
    if (this.#streams.size > 0) return;
    if (this.#isClosing) this.#end(this.#timeouts.headers);
    else this.#idle.refresh();
  }

  #write(bytes: Buffer): void {
    if (this.#isEnded) return;
    this.#outbox.add(bytes);
    writeSoon(this);
  }

  /** Puts content behind what is to be sent, a frame of each stream in turn, as far as windows and memory allow. */
  #fill(): void {
    for (const stream of this.#ready) {
      const { pending } = stream;
      const share = Math.max(MIN_CHUNK_BYTES, MAX_QUEUED_BYTES / this.#ready.size);
      // By a new setting the client may take back what it allowed: a window below zero.
      const room = Math.max(0, Math.min(stream.sendWindow, this.#sendWindow));
      const length = Math.min(pending?.length ?? 0, MAX_PAYLOAD_BYTES, Math.floor(share), room);
      if (this.#outbox.queuedBytes >= MAX_QUEUED_BYTES) return;
      if (pending && pending.length > 0 && length === 0) {
        if (this.#sendWindow <= 0) return;
        this.#ready.delete(stream);
        continue;
      }
      // Behind the others.
      this.#ready.delete(stream);
      if (!pending) continue;
      const isLast = length === pending.length && !stream.hasMore;
      const head = Buffer.allocUnsafe(FRAME_HEADER_BYTES);
      const flags = isLast ? FLAG.endStream : 0;
      writeHead(head, 0, { length, type: FRAME_TYPE.data, flags, stream: stream.id });
      this.#write(head);
      if (length > 0) this.#write(pending.subarray(0, length));
      this.#sendWindow -= length;
      stream.sendWindow -= length;
      stream.progressAt = performance.now();
      if (isLast) this.#responded(stream);
      else if (length === pending.length) {
        stream.pending = undefined;
        stream.sent();
      } else {
        stream.pending = pending.subarray(length);
        this.#ready.add(stream);
      }
    }
  }

  /** Writes what has gathered in this turn of the event loop. */
  flush(): void {
    if (this.#isEnded) return;
    try {
      this.#fill();
      this.#outbox.flush();
    } catch (error) {
      this.#faulted(error);
    }
  }

  /** The client has taken something. */
  #onDrained(): void {
    if (this.#ready.size > 0) writeSoon(this);
    if (!this.#isBehind || !this.#outbox.isLow) return;
    this.#isBehind = false;
    // Not within the callback of a write, which may have failed without Node's knowing yet.
    setImmediate(() => {
      if (this.#isEnded) return;
      this.#socket.resume();
      this.#receive(Buffer.alloc(0));
    });
  }

  /**
   * Cancels streams that have not gone on for too long: a client that reads no more, or a body that never comes; and those
   * whose body is late, as HTTP/1 does, though it comes byte by byte.
   */
  #watchStreams(): void {
    const { stalled, request } = this.#timeouts;
    this.#watch ??= setInterval(() => {
      const now = performance.now();
      for (const stream of this.#streams.values()) {
        const isLate = !stream.isRemoteEnded && now - stream.begunAt > request;
        if (isLate || now - stream.progressAt > stalled) this.refuse(stream, ERROR_CODE.cancel);
      }
      if (this.#streams.size > 0) return;
      clearInterval(this.#watch);
      this.#watch = undefined;
    }, Math.min(stalled, request) / 4).unref();
  }
}
