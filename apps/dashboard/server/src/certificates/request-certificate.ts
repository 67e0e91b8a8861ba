import { deleteChallenges } from '../store/acme-challenges.ts';
import { deleteCertificate, findCertificate, putCertificate } from '../store/certificates.ts';
import { recordDomainEvent } from '../store/domain-events.ts';
import {
  deleteIssuance,
  expediteIssuance,
  findIssuance,
  insertIssuance,
  interruptIssuance,
} from '../store/issuances.ts';
import type { Trx } from '../store/schema.ts';
import { ANY_DIRECTORY } from './authorities.ts';
import { afterCheck, parseTried } from './choose-authority.ts';
import { parseProblem } from './problem.ts';
import { budgetOf } from './rate-limits.ts';
import { certificateKeyContext, type Sealer } from './sealing.ts';

/**
 * Requests a certificate for a domain, in the transaction that applies a check with the verdict `verified`. A valid
 * certificate is enough. An issuance that waits for a retry is retried as soon as its budget allows.
 */
export async function ensureCertificate(
  trx: Trx,
  domain: { readonly id: string; readonly hostname: string },
  at: number,
): Promise<void> {
  const { id, hostname } = domain;
  const waiting = await findIssuance(trx, id);
  if (waiting) {
    const { nextSafeAt } = await budgetOf(trx, waiting.directory_url, hostname, at);
    const tried = afterCheck(parseTried(waiting.tried), at);
    const retryAt = parseProblem(waiting.last_problem)?.retryAt ?? at;
    // Of several authorities, the one that may be asked first.
    const soonest = Math.min(retryAt, ...tried.map(({ until }) => until ?? retryAt));
    const change = { tried: JSON.stringify(tried) };
    await expediteIssuance(trx, id, Math.max(nextSafeAt, soonest), change);
    return;
  }
  const certificate = await findCertificate(trx, id);
  if (certificate && certificate.not_after > at) return;
  const isNew = await insertIssuance(trx, {
    domain_id: id,
    hostname,
    kind: certificate ? 'renewal' : 'first',
    step: 'account',
    step_at: at,
    requested_at: at,
    directory_url: ANY_DIRECTORY,
    failures: 0,
    next_attempt_at: at,
  });
  if (!isNew) return;
  const message = 'The name is verified. A certificate is on its way.';
  await recordDomainEvent(trx, id, at, 'certificate.requested', message);
}

/**
 * Gives the certificate of a name to the claim that takes it over, in the transaction that does so and before
 * `cancelCertificate`: visitors find no moment without HTTPS. The private key stays the same, and is sealed anew for the
 * other claim. That claim keeps a certificate that it has from earlier where that one lives longer.
 */
export async function handOverCertificate(
  trx: Trx,
  sealer: Sealer,
  from: { readonly id: string },
  to: { readonly id: string },
): Promise<void> {
  const certificate = await findCertificate(trx, from.id);
  const own = await findCertificate(trx, to.id);
  if (!certificate || (own && own.not_after >= certificate.not_after)) return;
  const key = sealer.open(certificate.sealed_key, certificateKeyContext(from.id));
  const sealed_key = sealer.seal(key, certificateKeyContext(to.id));
  await putCertificate(trx, { ...certificate, domain_id: to.id, sealed_key });
}

/** Removes the certificate and the issuance of a domain, in the transaction that gives its name to another project. */
export async function cancelCertificate(
  trx: Trx,
  domain: { readonly id: string },
  at: number,
): Promise<void> {
  await deleteCertificate(trx, domain.id);
  await cancelIssuance(trx, domain, at);
}

/**
 * Ends the issuance of a domain, in the transaction that removes the domain. The certificate stays with the
 * reservation, for when the domain is added again: a removed domain serves nothing. An attempt under way loses its
 * lease, so that it stores nothing more, and the issuer abandons the open order.
 */
export async function cancelIssuance(
  trx: Trx,
  domain: { readonly id: string },
  at: number,
): Promise<void> {
  await deleteChallenges(trx, domain.id);
  const issuance = await findIssuance(trx, domain.id);
  if (issuance && issuance.sealed_key !== null) await interruptIssuance(trx, domain.id, at);
  else await deleteIssuance(trx, domain.id);
}
