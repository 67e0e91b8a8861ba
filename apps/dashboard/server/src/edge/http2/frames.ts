/** Types of frames (RFC 9113, section 6). */
export const FRAME_TYPE = {
  ...{ data: 0, headers: 1, priority: 2, reset: 3, settings: 4, pushPromise: 5, ping: 6 },
  ...{ goaway: 7, windowUpdate: 8, continuation: 9 },
} as const;

export const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

/** Why a stream or a connection ends (RFC 9113, section 7). */
export const ERROR_CODE = {
  ...{ noError: 0, protocolError: 1, internalError: 2, flowControlError: 3, streamClosed: 5 },
  ...{ frameSizeError: 6, refusedStream: 7, cancel: 8, compressionError: 9, enhanceYourCalm: 11 },
} as const;

/** RFC 9113, section 6.5.2. */
export const SETTING = {
  ...{ headerTableSize: 1, enablePush: 2, maxConcurrentStreams: 3, initialWindowSize: 4 },
  ...{ maxFrameSize: 5, maxHeaderListSize: 6 },
} as const;

/** What a client says first (RFC 9113, section 3.4). */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** The length of a frame header. */
export const FRAME_HEADER_BYTES = 9;

/** The longest payload that either side may send, which neither asks the other to change. */
export const MAX_PAYLOAD_BYTES = 16_384;

/** How much may be sent before the receiver says that it takes more, at first. */
export const DEFAULT_WINDOW = 65_535;
export const MAX_WINDOW = 2 ** 31 - 1;

/** The largest stream identifier. */
export const MAX_STREAM_ID = 2 ** 31 - 1;

/** Writes a frame's head, and returns where its payload begins. */
export function writeHead(
  into: Buffer,
  at: number,
  { length, type, flags, stream }: { length: number; type: number; flags: number; stream: number },
): number {
  into.writeUIntBE(length, at, 3);
  into[at + 3] = type;
  into[at + 4] = flags;
  into.writeUInt32BE(stream, at + 5);
  return at + FRAME_HEADER_BYTES;
}

export function frameOf(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  payload.copy(frame, writeHead(frame, 0, { length: payload.length, type, flags, stream }));
  return frame;
}

/** A frame whose payload is 32-bit numbers. */
export function numbersFrame(type: number, stream: number, ...numbers: readonly number[]): Buffer {
  const payload = Buffer.allocUnsafe(4 * numbers.length);
  for (const [at, number] of numbers.entries()) payload.writeUInt32BE(number, 4 * at);
  return frameOf(type, 0, stream, payload);
}

/** `why`: debug data, for whoever looks for the fault of a client (RFC 9113, section 6.8). */
export function goawayFrame(lastStream: number, code: number, why = ''): Buffer {
  const numbers = numbersFrame(FRAME_TYPE.goaway, 0, lastStream, code);
  const payload = Buffer.concat([numbers.subarray(FRAME_HEADER_BYTES), Buffer.from(why)]);
  return frameOf(FRAME_TYPE.goaway, 0, 0, payload);
}

export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * settings.length);
  for (const [at, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, 6 * at);
    payload.writeUInt32BE(value, 6 * at + 2);
  }
  return frameOf(FRAME_TYPE.settings, 0, 0, payload);
}
