import { ConnectionError } from './connection-error.ts';
import { ERROR_CODE, FLAG, MAX_PAYLOAD_BYTES, MAX_WINDOW, SETTING } from './frames.ts';

const MAX_SETTINGS = 32;

/** Refuses SETTINGS of another size than they have, before they count. Throws ConnectionError. */
export function checkSettingsSize(flags: number, id: number, { length }: Buffer): void {
  if (id !== 0) throw new ConnectionError(ERROR_CODE.protocolError, 'SETTINGS of a stream');
  if (flags & FLAG.ack ? length !== 0 : length % 6 !== 0) {
    throw new ConnectionError(ERROR_CODE.frameSizeError, 'SETTINGS');
  }
}

/** The windows in turn that a client gives its streams (RFC 9113, section 6.5.2); nothing else it sets matters. Throws ConnectionError. */
export function* initialWindowSizesIn(payload: Buffer): Generator<number> {
  if (payload.length > 6 * MAX_SETTINGS) {
    throw new ConnectionError(ERROR_CODE.enhanceYourCalm, 'settings');
  }
  for (let at = 0; at < payload.length; at += 6) {
    const value = payload.readUInt32BE(at + 2);
    switch (payload.readUInt16BE(at)) {
      case SETTING.enablePush:
        if (value > 1) throw new ConnectionError(ERROR_CODE.protocolError, 'neither push nor none');
        break;
      case SETTING.maxFrameSize:
        if (value < MAX_PAYLOAD_BYTES || value >= 2 ** 24) {
          throw new ConnectionError(ERROR_CODE.protocolError, 'a size that frames cannot have');
        }
        break;
      case SETTING.initialWindowSize:
        if (value > MAX_WINDOW) throw new ConnectionError(ERROR_CODE.flowControlError, 'a window');
        yield value;
    }
  }
}
