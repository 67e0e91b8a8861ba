import type { Readable } from 'node:stream';
import { GatheredBytes } from './gathered-bytes.ts';

/**
 * Reads a request's body. undefined where it has more than `maxBytes`, or the client leaves before its end. Further
 * calls return the same.
 */
export type ReadBody = (maxBytes: number) => Promise<Buffer | undefined>;

/** Reads the body from a request's stream. `onRead` is called before, such as to send 100 Continue. */
export function bodyReader(stream: Readable, onRead: () => void = () => {}): ReadBody {
  let body: Promise<Buffer | undefined> | undefined;
  return (maxBytes) => {
    body ??= read(stream, maxBytes, onRead);
    return body;
  };
}

function read(stream: Readable, maxBytes: number, onRead: () => void): Promise<Buffer | undefined> {
  const { promise, resolve } = Promise.withResolvers<Buffer | undefined>();
  // Node ends the stream of a request without a body at once.
  if (stream.readableEnded || stream.destroyed) resolve(Buffer.alloc(0));
  const gathered = new GatheredBytes(maxBytes);
  let left = maxBytes;
  const onData = (chunk: Buffer) => {
    left -= chunk.length;
    if (left >= 0) gathered.add(chunk);
    else finish(undefined);
  };
  const onEnd = () => finish(gathered.bytes);
  const onClose = () => finish(undefined);
  const finish = (result: Buffer | undefined) => {
    stream.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    stream.pause();
    resolve(result);
  };
  stream.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  onRead();
  return promise;
}
