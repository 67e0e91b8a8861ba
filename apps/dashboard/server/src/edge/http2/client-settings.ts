import {
  enhanceYourCalm,
  flowControlError,
  frameSizeError,
  protocolError,
} from './connection-error.ts';
import { FLAG, MAX_PAYLOAD_BYTES, MAX_WINDOW, SETTING } from './frames.ts';

const MAX_SETTINGS = 32;

/** Refuses SETTINGS of another size than they have, before they count. Throws ConnectionError. */
export function checkSettingsSize(flags: number, id: number, { length }: Buffer): void {
  if (id !== 0) throw protocolError('SETTINGS belongs to the connection, not to a stream');
  if (flags & FLAG.ack ? length !== 0 : length % 6 !== 0) {
    throw frameSizeError('SETTINGS has an invalid length');
  }
}

/**
 * The windows in turn that a client gives its streams (RFC 9113, section 6.5.2); nothing else it sets matters. Throws
 * ConnectionError.
 */
export function* initialWindowSizesIn(payload: Buffer): Generator<number> {
  if (payload.length > 6 * MAX_SETTINGS) {
    throw enhanceYourCalm('too many settings in one frame');
  }
  for (let at = 0; at < payload.length; at += 6) {
    const value = payload.readUInt32BE(at + 2);
    switch (payload.readUInt16BE(at)) {
      case SETTING.enablePush:
        if (value > 1) throw protocolError('SETTINGS_ENABLE_PUSH is neither 0 nor 1');
        break;
      case SETTING.maxFrameSize:
        if (value < MAX_PAYLOAD_BYTES || value >= 2 ** 24) {
          throw protocolError('SETTINGS_MAX_FRAME_SIZE is out of range');
        }
        break;
      case SETTING.initialWindowSize:
        if (value > MAX_WINDOW) throw flowControlError('SETTINGS_INITIAL_WINDOW_SIZE is too large');
        yield value;
    }
  }
}
