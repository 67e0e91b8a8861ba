/** What the edge needs of a log, as pino has it. */
export interface EdgeLog {
  isLevelEnabled(level: 'debug'): boolean;
  debug(details: object, message: string): void;
  info(message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
