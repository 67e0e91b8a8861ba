import type { FoundCertificate } from './found-certificate.ts';

/** For so long after a name came here, its former host may still get certificates for it, in milliseconds. */
const FORMER_HOST_MS = 10 * 24 * 3_600_000;

/** What is known of the name that a certificate is for. */
export interface Situation {
  /** The DNS of the name leads here. */
  readonly pointsHere: boolean;
  /** Since when at the latest, in milliseconds since 1970. */
  readonly since: number;
  /** The certificate has the name by a wildcard. */
  readonly isByWildcard: boolean;
  /** A certificate of the same issuer was told before. */
  readonly isIssuerKnown: boolean;
  /** The certificate may have been asked for here after a backup that was put back since. */
  readonly mayBeUndone: boolean;
}

/**
 * Why nobody need worry about a certificate that was not asked for here, as the end of a sentence; undefined where the
 * owners have to know of it.
 *
 * An authority may go on for ten days on a validation that it made before, so a former host's last certificate can be as
 * late as that. A wildcard is most often that of a company's other services, and comes again every few weeks.
 */
export function whyExpected(
  { notBefore }: Pick<FoundCertificate, 'notBefore'>,
  { pointsHere, since, isByWildcard, isIssuerKnown, mayBeUndone }: Situation,
): string | undefined {
  if (!pointsHere) return 'the DNS of the name leads elsewhere';
  if (notBefore < since) return 'it is older than the day on which the name came here';
  if (notBefore < since + FORMER_HOST_MS)
    return 'the name came here only a few days ago, and its former host may still have had one';
  if (isByWildcard && isIssuerKnown)
    return 'it is a wildcard for the names beside this one, as the ones before it were';
  if (mayBeUndone)
    return 'this dashboard may have asked for it after a backup that was put back since';
  return undefined;
}
