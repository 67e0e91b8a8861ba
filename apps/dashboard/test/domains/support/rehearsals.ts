import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createIssuing } from '@petstore/lab/certificate-authority/issuing.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { certificateKeyContext, sealerOf } from '../../../server/src/certificates/sealing.ts';
import { PublicKey } from '../../../server/src/certificates/x509.ts';
import type { Config } from '../../../server/src/config.ts';
import type {
  Rehearsal,
  RehearsalResult,
} from '../../../server/src/domains/rehearsal/rehearsal.ts';
import { putCertificate } from '../../../server/src/store/certificates.ts';
import { findDomain } from '../../../server/src/store/domains.ts';
import type { Db } from '../../../server/src/store/schema.ts';
import { deployFiles } from '../../support/guides.ts';
import { createProject, setPlan } from '../../support/project.ts';
import { json, type Visitor } from '../../support/service.ts';
import { AWAY, startDomainService, verify } from './domains.ts';
import { startOldSite } from './old-site.ts';

export const HOST = 'docs.example.test';
export const DOMAIN = `/api/projects/pets/domains/${HOST}`;
const ZONE = 'acme.docs.localhost';
const DAY_MS = 24 * 3_600_000;

/** A project `pets` with these guides, and a domain of it that is prepared while another host has the name. */
export async function prepareMove(
  t: TestContext,
  files: Record<string, string>,
  overrides: Partial<Config> = {},
) {
  const old = await startOldSite(t);
  const { issuing, caFile } = await startAuthority(t);
  const secretKey = randomBytes(32);
  const service = await startDomainService(t, {
    dnsZone: { name: ZONE, hosts: ['127.0.0.1'], port: 0, addresses: ['127.0.0.1'] },
    acme: { ...AWAY, caFile },
    secretKey,
    // Nothing listens at port 1.
    rehearsal: { httpPort: 1, httpsPort: old.port },
    ...overrides,
  });
  const { root, dns } = service;
  await createProject(root, 'pets');
  await setPlan(root, 'pets', 'pro');
  const deployed = await deployFiles(root, 'pets', files);
  assert.equal(deployed.state, 'succeeded', JSON.stringify(deployed.errors));
  const zone = dns.zone('example.test');
  zone.setRecords(HOST, 'A', [old.address], 3_600);
  const body = { hostname: HOST, prepare: true };
  const added = await json<{ records: { name: string; value: string }[] }>(
    await root.call('POST', '/api/projects/pets/domains', body),
    201,
  );
  const [challenge, main] = added.records;
  zone.setRecords(String(challenge?.name), 'CNAME', [String(challenge?.value)]);
  const domain = await verify(root, 'pets', HOST);
  assert.equal(domain.verdict?.reason, 'prepared', domain.verdict?.message);
  const certify = () => putIssued(service.db, issuing, secretKey);
  return { ...service, old, zone, certify, target: String(main?.value) };
}

async function startAuthority(t: TestContext) {
  const issuing = await createIssuing('Lab', Date.now);
  const caFile = join(await temporaryFolder(t), 'roots.pem');
  await writeFile(caFile, issuing.rootPem);
  return { issuing, caFile };
}

/** Stores a certificate for the name, as an issuance does at its end. */
async function putIssued(
  db: Db,
  issuing: Awaited<ReturnType<typeof createIssuing>>,
  secretKey: Buffer,
): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const { chain } = await issuing.issue(
    [{ type: 'dns', value: HOST }],
    await PublicKey.create(spki),
    90 * DAY_MS,
  );
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('slug', '=', 'pets')
    .executeTakeFirstOrThrow();
  const domain = await findDomain(db, project.id, HOST);
  assert.ok(domain);
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const { issuer, serialNumber, validFromDate, validToDate } = new X509Certificate(chain);
  const sealer = sealerOf(secretKey, 'DASHBOARD_SECRET_KEY');
  await db.transaction().execute((trx) =>
    putCertificate(trx, {
      ...{ domain_id: domain.id, hostname: HOST, chain, issuer, serial: serialNumber },
      sealed_key: sealer.seal(key, certificateKeyContext(domain.id)),
      ...{ not_before: validFromDate.getTime(), not_after: validToDate.getTime() },
      ...{ issued_at: Date.now(), renew_at: Date.now() + 60 * DAY_MS },
      ...{ ari_id: null, ari_check_at: null, directory_url: null },
    }),
  );
}

/** Starts a rehearsal, and waits for its end. */
export async function rehearse(root: Visitor): Promise<Rehearsal> {
  await json(await root.call('POST', `${DOMAIN}/rehearsals`), 202);
  return ended(root);
}

export async function ended(root: Visitor): Promise<Rehearsal> {
  const latest = async () => json<Rehearsal>(await root.call('GET', `${DOMAIN}/rehearsals/latest`));
  await timeUntil(async () => (await latest()).finishedAt !== null);
  return latest();
}

/** The result of a rehearsal that came to its end. */
export async function resultOf(root: Visitor): Promise<RehearsalResult> {
  const { state, problem, result } = await rehearse(root);
  assert.equal(state, 'finished', String(problem));
  assert.ok(result);
  return result;
}

/** The codes of its findings, in their order. */
export const codesOf = ({ findings }: RehearsalResult, level?: 'missing' | 'advice'): string[] =>
  findings.filter((one) => level === undefined || one.level === level).map(({ code }) => code);
