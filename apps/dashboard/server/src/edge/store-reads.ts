import { withTimeout } from '@petstore/service/with-timeout.ts';
import type { AccessSource } from './access/access-source.ts';
import type { SiteSource } from './sites/site-source.ts';

/** When a read takes longer than this, the store counts as unavailable. In milliseconds. */
export const READ_TIMEOUT_MS = 5_000;

/** A source whose reads reject when they take longer than `timeoutMs`. */
export function timedSource(source: SiteSource, timeoutMs = READ_TIMEOUT_MS): SiteSource {
  const { addRequests, addReaders } = source;
  return {
    platformCertificateOf: (host) => source.platformCertificateOf(host),
    findSite: (host) => inTime(source.findSite(host), timeoutMs),
    readManifest: (hash) => inTime(source.readManifest(hash), timeoutMs),
    readBlob: (hash) => inTime(source.readBlob(hash), timeoutMs),
    findPlatformCertificate: (name) => inTime(source.findPlatformCertificate(name), timeoutMs),
    findServedCertificate: (name) => inTime(source.findServedCertificate(name), timeoutMs),
    findHttpChallenge: (host, token) => inTime(source.findHttpChallenge(host, token), timeoutMs),
    findTlsChallenge: (host) => inTime(source.findTlsChallenge(host), timeoutMs),
    changesAfter: (position) => inTime(source.changesAfter(position), timeoutMs),
    ...(addRequests && { addRequests: (counts) => addRequests.call(source, counts) }),
    ...(addReaders && { addReaders: (counts) => addReaders.call(source, counts) }),
  };
}

/** The same for who may read; a password takes the time that its hash takes. */
export function timedAccess(source: AccessSource, timeoutMs = READ_TIMEOUT_MS): AccessSource {
  return {
    now: () => source.now(),
    signInWithPassword: (...given) => source.signInWithPassword(...given),
    judge: (...given) => inTime(source.judge(...given), timeoutMs),
    redeemTicket: (...given) => inTime(source.redeemTicket(...given), timeoutMs),
    redeemLink: (...given) => inTime(source.redeemLink(...given), timeoutMs),
    endSession: (...given) => inTime(source.endSession(...given), timeoutMs),
  };
}

const inTime = <T>(read: Promise<T>, timeoutMs: number): Promise<T> =>
  withTimeout(
    read,
    timeoutMs,
    () => new Error(`The store did not respond within ${timeoutMs} ms.`),
  );
