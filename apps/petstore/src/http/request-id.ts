import { randomBytes } from 'node:crypto';

/**
 * Makes a source of request ids: eight random bytes for the process, then a count. Unique across
 * processes and restarts, and cheaper than a random id for each request.
 */
export function requestIds(): () => string {
  const process = randomBytes(8).toString('hex');
  let count = 0;
  return () => `${process}-${(count++).toString(36)}`;
}
