import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startCertificateAuthority } from './certificate-authority/certificate-authority.ts';
import type { LabAuthorityOptions } from './certificate-authority/lab-authority.ts';
import { RETRY_AFTER_SECONDS, startGate } from './gate.ts';
import { findPebble, PEBBLE_HINT, startPebble } from './pebble.ts';

/** The lab's certificate authority, which can be told to turn orders away. */
export interface StartedAuthority {
  /** Which one it is, for people. */
  readonly name: string;
  readonly directoryUrl: string;
  /** A file with the root by which the directory is trusted. */
  readonly caFile: string;
  /** A file with the root of what it issues. */
  readonly rootFile: string;
  /** How to get the one that others wrote, where it is missing. */
  readonly hint: string | undefined;
  turnAway(hostname: string, isTurnedAway: boolean): void;
  close(): Promise<void>;
}

/** Starts pebble where it is installed, or else the small authority in this process. Its roots go into a folder. */
export async function startLabAuthority(
  folder: string,
  options: LabAuthorityOptions,
): Promise<StartedAuthority> {
  const rootFile = join(folder, 'lab-root.pem');
  const pebble = await findPebble();
  const started = pebble
    ? await startGatedPebble(pebble, folder, options)
    : await startOwn(options);
  await writeFile(rootFile, started.rootPem);
  return { ...started, rootFile };
}

/** Pebble cannot be told whose orders to turn away: a gate in front of it does. */
async function startGatedPebble(path: string, folder: string, options: LabAuthorityOptions) {
  const pebble = await startPebble(path, options);
  const { origin, pathname } = new URL(pebble.directoryUrl);
  const gate = await startGate({ origin, ca: await readFile(pebble.caFile, 'utf8') });
  const caFile = join(folder, 'lab-directory-root.pem');
  await writeFile(caFile, gate.rootPem);
  return {
    name: 'pebble',
    directoryUrl: gate.origin + pathname,
    caFile,
    rootPem: pebble.rootPem,
    hint: undefined,
    turnAway: gate.turnAway,
    async close() {
      await gate.close();
      await pebble.close();
    },
  };
}

async function startOwn(options: LabAuthorityOptions) {
  const own = await startCertificateAuthority(options);
  const turnedAway = new Set<string>();
  return {
    ...own,
    name: 'a small one of the lab',
    hint: PEBBLE_HINT,
    turnAway(hostname: string, isTurnedAway: boolean) {
      if (isTurnedAway) turnedAway.add(hostname);
      else turnedAway.delete(hostname);
      own.behave();
      // Of all names while there is one: it does not look into orders before it fails.
      if (turnedAway.size > 0)
        own.fail({ at: 'newOrder', type: 'rateLimited', retryAfter: String(RETRY_AFTER_SECONDS) });
    },
  };
}
