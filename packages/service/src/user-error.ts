/**
 * A failure that the person at the terminal can fix. The message names the problem and the remedy in one sentence or
 * two; the command line prints it without a stack trace and exits with 1.
 */
export class UserError extends Error {
  override name = 'UserError';
}
