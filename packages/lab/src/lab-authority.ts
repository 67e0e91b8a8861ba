import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type LabAuthorityOptions,
  startCertificateAuthority,
} from './certificate-authority/certificate-authority.ts';
import { findPebble, PEBBLE_HINT, startPebble } from './pebble.ts';
import { RETRY_AFTER_SECONDS, startRateLimitProxy } from './rate-limit-proxy.ts';

/** The lab's certificate authority. It can be made to refuse orders with `rateLimited`. */
export interface StartedAuthority {
  /** Its name, for people. */
  readonly name: string;
  readonly directoryUrl: string;
  /** A file with the roots that the dashboard trusts: of the directory's HTTPS certificate, and of those it issues. */
  readonly caFile: string;
  /** A file with the root of the certificates that it issues. */
  readonly rootFile: string;
  /** How to install pebble, where it is missing. */
  readonly hint: string | undefined;
  setRateLimited(hostname: string, isLimited: boolean): void;
  close(): Promise<void>;
}

/**
 * Starts pebble where it is installed, or else the small authority of this package. Its root certificates are written
 * into a folder.
 */
export async function startLabAuthority(
  folder: string,
  options: LabAuthorityOptions,
): Promise<StartedAuthority> {
  const rootFile = join(folder, 'lab-root.pem');
  const pebble = await findPebble();
  const started = pebble
    ? await startRateLimitedPebble(pebble, folder, options)
    : await startOwn(options);
  await writeFile(rootFile, started.rootPem);
  const caFile = join(folder, 'lab-roots.pem');
  // The rehearsal of a move checks a certificate as browsers do, which here trust the lab's root as well.
  await writeFile(caFile, `${await readFile(started.caFile, 'utf8')}\n${started.rootPem}`);
  return { ...started, rootFile, caFile };
}

/** Pebble cannot refuse orders for some names, so a proxy in front of it does. */
async function startRateLimitedPebble(path: string, folder: string, options: LabAuthorityOptions) {
  const pebble = await startPebble(path, options);
  const { origin, pathname } = new URL(pebble.directoryUrl);
  const proxy = await startRateLimitProxy({ origin, ca: await readFile(pebble.caFile, 'utf8') });
  const caFile = join(folder, 'lab-directory-root.pem');
  await writeFile(caFile, proxy.rootPem);
  return {
    name: 'pebble',
    directoryUrl: proxy.origin + pathname,
    caFile,
    rootPem: pebble.rootPem,
    hint: undefined,
    setRateLimited: proxy.setRateLimited,
    async close() {
      await proxy.close();
      await pebble.close();
    },
  };
}

async function startOwn(options: LabAuthorityOptions) {
  const own = await startCertificateAuthority(options);
  const limited = new Set<string>();
  return {
    ...own,
    name: 'a small one of the lab',
    hint: PEBBLE_HINT,
    setRateLimited(hostname: string, isLimited: boolean) {
      if (isLimited) limited.add(hostname);
      else limited.delete(hostname);
      own.clearFaults();
      // While one name is limited, orders for all names fail: faults do not depend on the name.
      const retryAfter = String(RETRY_AFTER_SECONDS);
      if (limited.size > 0) own.injectFault({ at: 'newOrder', type: 'rateLimited', retryAfter });
    },
  };
}
