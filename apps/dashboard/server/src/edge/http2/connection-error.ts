import { ERROR_CODE } from './frames.ts';

/** Ends the connection, with a code and a message for the client. */
export class ConnectionError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const withCode =
  (code: number) =>
  (message: string): ConnectionError =>
    new ConnectionError(code, message);

export const protocolError = withCode(ERROR_CODE.protocolError);
export const frameSizeError = withCode(ERROR_CODE.frameSizeError);
export const flowControlError = withCode(ERROR_CODE.flowControlError);
export const enhanceYourCalm = withCode(ERROR_CODE.enhanceYourCalm);
