import { queueDomainNotice } from '../notices/queue-notice.ts';
import { deleteChallenges } from '../store/acme-challenges.ts';
import { endOrder } from '../store/acme-orders.ts';
import { rememberKey } from '../store/certificate-keys.ts';
import { findCertifiable, putCertificate } from '../store/certificates.ts';
import { recordDomainEvent } from '../store/domain-events.ts';
import { lockDomain } from '../store/domains.ts';
import { deleteLeasedIssuance } from '../store/issuances.ts';
import { lockProject } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { recordSiteChange } from '../store/sites.ts';
import type { IssuedCertificate } from './check-chain.ts';
import { type Attempt, acmeClient, goToStep, LeaseLostError } from './issuance.ts';
import { currentOrder, orderFailed, poll } from './order.ts';
import { OrderFailedError } from './problem.ts';
import { renewalTime } from './renewal.ts';
import { certificateKeyContext, publicKeyHash } from './sealing.ts';

/** Sends the CSR, unless that was done, and waits until the certificate is issued (RFC 8555, section 7.4). */
export async function finalizeOrder(attempt: Attempt): Promise<void> {
  const { deps, row, signal } = attempt;
  const client = await acmeClient(attempt);
  const order = await currentOrder(attempt, client);
  if (order.status === 'pending') return goToStep(attempt, 'challenge');
  if (order.status === 'ready') {
    const key = privateKeyOf(attempt);
    // A certificate in CT logs is recognized as ours by this key, even if its download fails.
    await rememberKey(deps.db, publicKeyHash(key), deps.now());
    await client.finalize(order, row.hostname, key);
  }
  const finalized = await poll(
    () => currentOrder(attempt, client),
    ({ status }) => status === 'valid' || status === 'invalid',
    client.pollAfter,
    signal,
  );
  if (finalized.status === 'invalid') throw orderFailed(finalized, deps.now());
  await goToStep(attempt, 'download');
}

/** The private key that the certificate is for, in PEM. */
function privateKeyOf({ deps, row }: Attempt): string {
  if (row.sealed_key === null) throw new Error('an order has no key');
  return deps.sealer.open(row.sealed_key, certificateKeyContext(row.domain_id));
}

/** Downloads and checks the certificate, and installs it. That of a staging order is not installed. */
export async function downloadCertificate(attempt: Attempt): Promise<void> {
  const { deps, row } = attempt;
  const client = await acmeClient(attempt);
  const order = await currentOrder(attempt, client);
  if (order.status !== 'valid') return goToStep(attempt, 'finalize');
  const chain = await client.download(order);
  const key = privateKeyOf(attempt);
  const issued = await checked(chain, attempt, key);
  const { authorities, stagingDirectoryUrl } = deps.config.acme;
  if (row.directory_url === stagingDirectoryUrl) {
    const restart = {
      directory_url: authorities[0].directoryUrl,
      order_url: null,
      sealed_key: null,
    };
    return goToStep(attempt, 'account', restart, async (trx) => {
      await deleteChallenges(trx, row.domain_id);
      await endOrder(trx, row.domain_id, 'issued', deps.now());
      const message =
        'The staging directory issued a certificate. The one to serve is ordered next.';
      await recordDomainEvent(trx, row.domain_id, deps.now(), 'certificate.step', message);
    });
  }
  const hasAri = client.directory.renewalInfo !== undefined;
  await install(attempt, { chain, key, issued, hasAri });
  deps.siteChanged(attempt.projectId);
  attempt.isIssued = true;
}

async function checked(
  chain: string,
  { deps, row }: Attempt,
  key: string,
): Promise<IssuedCertificate> {
  const now = deps.now();
  // Loaded when it is needed, as the ACME client is.
  const { BadChainError, checkChain } = await import('./check-chain.ts');
  try {
    return checkChain(chain, row.hostname, key, now);
  } catch (error) {
    if (!(error instanceof BadChainError)) throw error;
    throw new OrderFailedError({ type: 'badCertificate', detail: error.message, at: now });
  }
}

interface Download {
  /** In PEM. */
  readonly chain: string;
  readonly key: string;
  readonly issued: IssuedCertificate;
  readonly hasAri: boolean;
}

/** Stores the certificate and ends the issuance in one transaction. Each edge serves it once it has read the change. */
async function install(
  { deps, row, worker, projectId }: Attempt,
  { chain, key, issued, hasAri }: Download,
): Promise<void> {
  const at = deps.now();
  const ariId = hasAri ? (issued.ariId ?? null) : null;
  await deps.db.transaction().execute(async (trx) => {
    await lockProject(trx, projectId);
    await lockDomain(trx, row.domain_id);
    // The domain may have been removed, or lost to another project, meanwhile.
    const isMine = await deleteLeasedIssuance(trx, row.domain_id, worker);
    const domain = await findCertifiable(trx, row.domain_id);
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
      directory_url: row.directory_url,
    });
    await deleteChallenges(trx, row.domain_id);
    await endOrder(trx, row.domain_id, 'issued', at);
    await recordIssued(trx, { row, projectId }, issued, at);
    await recordSiteChange(trx, projectId, at);
  });
}

/** On the timeline; and as a notice where it is the first certificate. */
async function recordIssued(
  trx: Trx,
  { row, projectId }: Pick<Attempt, 'row' | 'projectId'>,
  { issuer, serial, notAfter }: IssuedCertificate,
  at: number,
): Promise<void> {
  const { hostname, domain_id } = row;
  const until = new Date(notAfter).toISOString();
  const details = { serial, notAfter: until };
  if (row.kind === 'renewal') {
    const message = `The certificate of ${hostname} was renewed by ${issuer}. It is valid until ${until.slice(0, 10)}.`;
    await recordDomainEvent(trx, domain_id, at, 'certificate.renewed', message, details);
    return;
  }
  const message = `${hostname} has a certificate of ${issuer}, valid until ${until.slice(0, 10)}.`;
  await recordDomainEvent(trx, domain_id, at, 'certificate.issued', message, details);
  const type = 'domain.certificate_issued';
  await queueDomainNotice(trx, at, { type, projectId, hostname, message, details });
}
