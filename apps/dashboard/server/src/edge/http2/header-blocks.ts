import { MAX_HEADER_BYTES } from '../connections/limits.ts';
import { enhanceYourCalm, frameSizeError, protocolError } from './connection-error.ts';
import { FLAG, FRAME_TYPE, MAX_STREAM_ID } from './frames.ts';
import { withoutPadding } from './padding.ts';

/** A header block, with all its CONTINUATION frames, and how many frames those may be (CVE-2024-27316). */
const MAX_BLOCK_BYTES = 4 * MAX_HEADER_BYTES;
const MAX_BLOCK_FRAMES = 16;

/** The headers of a request, or its trailers, not decoded yet. */
export interface HeaderBlock {
  readonly stream: number;
  readonly endsStream: boolean;
  readonly bytes: Buffer;
}

/** Joins header blocks of HEADERS and CONTINUATION (RFC 9113, sections 6.2 and 6.10). All throw ConnectionError. */
export class HeaderBlocks {
  #open: { readonly stream: number; readonly endsStream: boolean; parts: Buffer[] } | undefined;
  #openBytes = 0;

  /** Refuses any other frame between those of a block. */
  checkMayCome(type: number, stream: number): void {
    if (this.#open && (type !== FRAME_TYPE.continuation || stream !== this.#open.stream)) {
      throw protocolError('another frame within a header block');
    }
  }

  /** Begins with HEADERS. undefined: more has to come. */
  begin(flags: number, stream: number, payload: Buffer): HeaderBlock | undefined {
    let bytes = withoutPadding(flags, payload);
    if (flags & FLAG.priority) {
      if (bytes.length < 5) throw frameSizeError('HEADERS is too short for its priority');
      const dependency = bytes.readUInt32BE(0) & MAX_STREAM_ID;
      if (dependency === stream) throw protocolError('a stream depends on itself');
      bytes = bytes.subarray(5);
    }
    const endsStream = (flags & FLAG.endStream) !== 0;
    if (flags & FLAG.endHeaders) return { stream, endsStream, bytes };
    this.#open = { stream, endsStream, parts: [Buffer.from(bytes)] };
    this.#openBytes = bytes.length;
    return undefined;
  }

  /** Takes the CONTINUATION frame of a block. undefined: more has to come. */
  continueBlock(flags: number, payload: Buffer): HeaderBlock | undefined {
    const block = this.#open;
    if (!block) throw protocolError('CONTINUATION without a header block');
    block.parts.push(Buffer.from(payload));
    this.#openBytes += payload.length;
    if (this.#openBytes > MAX_BLOCK_BYTES || block.parts.length > MAX_BLOCK_FRAMES) {
      throw enhanceYourCalm('a header block is too large');
    }
    if (!(flags & FLAG.endHeaders)) return undefined;
    this.#open = undefined;
    return {
      stream: block.stream,
      endsStream: block.endsStream,
      bytes: Buffer.concat(block.parts),
    };
  }
}
