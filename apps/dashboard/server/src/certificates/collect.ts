import { queueNotice } from '../notices/queue-notice.ts';
import { deleteChallenges } from '../store/acme-challenges.ts';
import { endOrder } from '../store/acme-orders.ts';
import { findServingDomain, putCertificate } from '../store/certificates.ts';
import { recordDomainEvent } from '../store/domain-events.ts';
import { lockDomain } from '../store/domains.ts';
import { deleteLeasedIssuance } from '../store/issuances.ts';
import { lockProject } from '../store/projects.ts';
import { recordSiteChange } from '../store/sites.ts';
import { type Attempt, authorityOf, LeaseLostError, reach } from './attempt.ts';
import type { IssuedCertificate } from './check-chain.ts';
import { currentOrder, keyOf } from './order.ts';
import { OrderFailedError } from './problem.ts';
import { renewalTime } from './renewal.ts';
import { certificateKeyContext } from './sealing.ts';

/** Fetches the certificate, and puts it to use. One of a staging directory was for trying alone. */
export async function collect(attempt: Attempt): Promise<boolean> {
  const { deps, row } = attempt;
  const authority = await authorityOf(attempt);
  const order = await currentOrder(attempt, authority);
  if (order.status !== 'valid') {
    await reach(attempt, 'finalize');
    return false;
  }
  const chain = await authority.download(order);
  const key = keyOf(attempt);
  const issued = await checked(chain, attempt, key);
  const { directoryUrl } = deps.config.acme;
  if (row.directory_url !== directoryUrl) {
    await reach(
      attempt,
      'account',
      { directory_url: directoryUrl, order_url: null, sealed_key: null },
      async (trx) => {
        await deleteChallenges(trx, row.domain_id);
        await endOrder(trx, row.domain_id, 'issued', deps.now());
        const words =
          'The trial at the staging directory went well. Now for a certificate to serve.';
        await recordDomainEvent(trx, row.domain_id, deps.now(), 'certificate.step', words);
      },
    );
    return false;
  }
  await putToUse(attempt, chain, key, issued, authority.directory.renewalInfo !== undefined);
  deps.siteChanged(attempt.projectId);
  return true;
}

async function checked(
  chain: string,
  { deps, row }: Attempt,
  key: string,
): Promise<IssuedCertificate> {
  const now = deps.now();
  // Loaded when it is needed, as the authority's client is.
  const { BadChainError, checkChain } = await import('./check-chain.ts');
  try {
    return checkChain(chain, row.hostname, key, now);
  } catch (error) {
    if (!(error instanceof BadChainError)) throw error;
    throw new OrderFailedError({ type: 'badCertificate', detail: error.message, at: now });
  }
}

/** All of it at once: edges see the certificate when it is theirs to serve, and nothing is left to do. */
async function putToUse(
  { deps, row, worker, projectId }: Attempt,
  chain: string,
  key: string,
  issued: IssuedCertificate,
  hasAri: boolean,
): Promise<void> {
  const at = deps.now();
  const ariId = hasAri ? (issued.ariId ?? null) : null;
  await deps.db.transaction().execute(async (trx) => {
    await lockProject(trx, projectId);
    await lockDomain(trx, row.domain_id);
    // Taken away when the domain was removed, or lost to another project, meanwhile.
    const isMine = await deleteLeasedIssuance(trx, row.domain_id, worker);
    const domain = await findServingDomain(trx, row.domain_id);
    if (!isMine || !domain) throw new LeaseLostError('nobody wants the certificate any more');
    await putCertificate(trx, {
      domain_id: row.domain_id,
      hostname: row.hostname,
      chain,
      sealed_key: deps.sealer.seal(key, certificateKeyContext(row.domain_id)),
      issuer: issued.issuer,
      serial: issued.serial,
      not_before: issued.notBefore,
      not_after: issued.notAfter,
      issued_at: at,
      renew_at: renewalTime(issued, Math.random()),
      ari_id: ariId,
      ari_check_at: ariId === null ? null : at,
    });
    await deleteChallenges(trx, row.domain_id);
    await endOrder(trx, row.domain_id, 'issued', at);
    const until = new Date(issued.notAfter).toISOString().slice(0, 10);
    const isFirst = row.kind === 'first';
    const message = isFirst
      ? `${row.hostname} has a certificate of ${issued.issuer}, valid until ${until}.`
      : `The certificate of ${row.hostname} was renewed by ${issued.issuer}. It is valid until ${until}.`;
    const details = { serial: issued.serial, notAfter: new Date(issued.notAfter).toISOString() };
    const kind = isFirst ? 'certificate.issued' : 'certificate.renewed';
    await recordDomainEvent(trx, row.domain_id, at, kind, message, details);
    if (isFirst) {
      const { hostname } = row;
      const type = 'domain.certificate_issued';
      await queueNotice(trx, at, { type, projectId, hostname, message, details });
    }
    await recordSiteChange(trx, projectId, at);
  });
}
