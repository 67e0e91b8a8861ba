import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@petstore/test-support/root.ts';
import { shareCompressionCache } from '../../server/src/deploys/build/artifact/compress.ts';

/**
 * What all tests compressed of the scripts and styles that every site has. A service keeps it for as long as it runs;
 * each test has a service of its own, for which it would be most of the work of a deploy.
 */
const COMPRESSIONS = join(ROOT, 'node_modules/.cache/compressions', versionOfCompress());

/** Another way to compress makes other bytes. */
function versionOfCompress(): string {
  const source = join(ROOT, 'apps/dashboard/server/src/deploys/build/artifact/compress.ts');
  return hash('sha256', readFileSync(source), 'hex').slice(0, 16);
}

// For builds in the test's own process.
shareCompressionCache(COMPRESSIONS);

/** Lets a service that runs on a folder of data have what other tests' services compressed. */
export function shareCompressionsWith(dataDir: string): void {
  mkdirSync(COMPRESSIONS, { recursive: true });
  const spool = join(dataDir, 'spool');
  for (const folder of readdirSync(spool)) {
    try {
      symlinkSync(COMPRESSIONS, join(spool, folder, 'compressions'));
    } catch (error) {
      // A build has begun already, and has one of its own.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
