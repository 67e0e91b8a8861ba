import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '@petstore/test-support/program.ts';

/** Where the files are by which the service is run on other machines. */
export const DEPLOY = join(ROOT, 'deploy');

export function deployFile(path: string): Promise<string> {
  return readFile(join(DEPLOY, path), 'utf8');
}

/**
 * The seconds that the service may take to stop, at most: requests under way have ten, and closing the
 * database takes some. Whatever runs it must wait for longer before it kills.
 */
export const SLOWEST_STOP_SECONDS = 15;
