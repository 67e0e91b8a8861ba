import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '@petstore/test-support/root.ts';
import { CLOSE_TIMEOUT_MS } from '../../src/commands/run-service.ts';
import { readConfig } from '../../src/config.ts';

/** Where the files are by which the service is run on other machines. */
export const DEPLOY = join(ROOT, 'deploy');

export function deployFile(path: string): Promise<string> {
  return readFile(join(DEPLOY, path), 'utf8');
}

const { shutdownDelayMs, shutdownTimeoutMs } = readConfig({});

/**
 * The seconds that the service may take to stop, at most, closing the database (commands/run-service.ts) included.
 * Whatever runs it must wait for longer before it kills.
 */
export const SLOWEST_STOP_SECONDS =
  (shutdownDelayMs + shutdownTimeoutMs + CLOSE_TIMEOUT_MS) / 1_000;
