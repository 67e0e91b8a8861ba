import { frameSizeError, protocolError } from './connection-error.ts';
import { FRAME_HEADER_BYTES, MAX_PAYLOAD_BYTES, MAX_STREAM_ID, PREFACE } from './frames.ts';

export interface FrameTarget {
  /** Asked before each frame; what is left of them then waits. */
  mayReadFrame(): boolean;
  readFrame(type: number, flags: number, stream: number, payload: Buffer): void;
}

/** Cuts what a client sends into frames, behind its preface. */
export class FrameReader {
  readonly #target: FrameTarget;
  #hasPreface = false;
  /** What has come and is not a whole frame. */
  #rest: Buffer | undefined;

  constructor(target: FrameTarget) {
    this.#target = target;
  }

  /** Throws ConnectionError, and what the target throws. */
  read(more: Buffer): void {
    const bytes = this.#rest ? Buffer.concat([this.#rest, more]) : more;
    let at = this.#hasPreface ? 0 : this.#readPreface(bytes);
    while (
      this.#hasPreface &&
      bytes.length - at >= FRAME_HEADER_BYTES &&
      this.#target.mayReadFrame()
    ) {
      const length = bytes.readUIntBE(at, 3);
      if (length > MAX_PAYLOAD_BYTES)
        throw frameSizeError('the frame is longer than SETTINGS_MAX_FRAME_SIZE');
      const from = at + FRAME_HEADER_BYTES;
      if (bytes.length - from < length) break;
      const [type, flags] = [bytes[at + 3] as number, bytes[at + 4] as number];
      const stream = bytes.readUInt32BE(at + 5) & MAX_STREAM_ID;
      at = from + length;
      this.#target.readFrame(type, flags, stream, bytes.subarray(from, at));
    }
    this.#rest = at < bytes.length ? bytes.subarray(at) : undefined;
  }

  /** Where the first frame begins; 0 as long as the preface has not come. */
  #readPreface(bytes: Buffer): number {
    const length = Math.min(bytes.length, PREFACE.length);
    if (PREFACE.compare(bytes, 0, length, 0, length) !== 0) {
      throw protocolError('the connection preface is wrong');
    }
    this.#hasPreface = length === PREFACE.length;
    return this.#hasPreface ? length : 0;
  }
}
