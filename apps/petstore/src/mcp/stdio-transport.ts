import type { Readable, Writable } from 'node:stream';
import { parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { parseMessage } from './exact-json.ts';

type Message = Parameters<Transport['send']>[0];

/** The longest message, in bytes: more than any call needs. */
const MAX_LINE_BYTES = 256 * 1024;

/** Requests that may wait for their results; nothing more is read until one has it. */
const MAX_WAITING = 32;

const NEWLINE = 0x0a;

/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/**
 * Messages a line each, by standard input and output, as MCP has it. Unlike the SDK's own it keeps all digits of
 * arguments; a line that is no message gets an error and the next one is read; and at the end of the input the
 * requests before it still get their results.
 */
export class StdioTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #waiting = 0;
  #hasEnded = false;
  #isClosed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#input.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#input.once('end', () => {
      this.#endLine();
      this.#hasEnded = true;
      this.#closeWhenDone();
    });
    this.#input.once('error', () => void this.close());
    // The client has gone: there is nobody to work for.
    this.#output.once('error', () => void this.close());
  }

  async send(message: Message): Promise<void> {
    const isResponse = !('method' in message);
    await this.#write(message);
    if (!isResponse) return;
    this.#waiting -= 1;
    if (this.#waiting < MAX_WAITING) this.#input.resume();
    this.#closeWhenDone();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.destroy();
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    let rest = chunk;
    for (;;) {
      const end = rest.indexOf(NEWLINE);
      this.#append(end < 0 ? rest : rest.subarray(0, end));
      if (end < 0) return;
      this.#endLine();
      rest = rest.subarray(end + 1);
    }
  }

  /** Of a line that is too long nothing is kept. */
  #append(part: Buffer): void {
    this.#lineBytes += part.length;
    if (this.#lineBytes > MAX_LINE_BYTES) this.#line = [];
    else this.#line.push(part);
  }

  #endLine(): void {
    const text = Buffer.concat(this.#line).toString().trim();
    const isTooLong = this.#lineBytes > MAX_LINE_BYTES;
    this.#line = [];
    this.#lineBytes = 0;
    if (isTooLong) this.#refuse(INVALID_REQUEST, `A message has at most ${MAX_LINE_BYTES} bytes.`);
    else if (text !== '') this.#handle(text);
  }

  #handle(text: string): void {
    let message: unknown;
    try {
      message = parseMessage(text);
    } catch (error) {
      this.#refuse(PARSE_ERROR, `The line is not JSON: ${(error as Error).message}.`);
      return;
    }
    let valid: Message;
    try {
      valid = parseJSONRPCMessage(message);
    } catch {
      const isBatch = Array.isArray(message);
      this.#refuse(
        INVALID_REQUEST,
        isBatch
          ? 'Send each message by itself: there are no batches.'
          : 'This is no message of JSON-RPC 2.0.',
      );
      return;
    }
    if ('method' in valid && 'id' in valid) {
      this.#waiting += 1;
      if (this.#waiting >= MAX_WAITING) this.#input.pause();
    }
    this.onmessage?.(valid);
  }

  #refuse(code: number, message: string): void {
    void this.#write({ jsonrpc: '2.0', id: null, error: { code, message } });
  }

  async #write(message: object): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#output.write(`${JSON.stringify(message)}\n`, () => resolve());
    await promise;
  }

  #closeWhenDone(): void {
    if (this.#hasEnded && this.#waiting <= 0) void this.close();
  }
}
