import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CertificateAuthority,
  type CertificateAuthorityOptions,
  type LabAuthority,
  type LabAuthorityOptions,
  startCertificateAuthority,
} from '@petstore/lab/certificate-authority/certificate-authority.ts';
import type { Call } from '@petstore/lab/certificate-authority/faults.ts';
import { type NameServer, startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { findPebble, PEBBLE_HINT, startPebble } from '@petstore/lab/pebble.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { PATIENCE_MS } from '@petstore/test-support/within.ts';
import { type Logger, pino } from 'pino';
import { startIssuer } from '../../../server/src/certificates/issuer.ts';
import { ensureCertificate } from '../../../server/src/certificates/request-certificate.ts';
import { sealerOf } from '../../../server/src/certificates/sealing.ts';
import type { AcmeConfig, AuthorityConfig } from '../../../server/src/config-acme.ts';
import type { Verdict } from '../../../server/src/domains/verdict.ts';
import { type CertificateRow, putCertificate } from '../../../server/src/store/certificates.ts';
import type { Db } from '../../../server/src/store/schema.ts';
import { openTestDatabase, putProject } from '../../support/store.ts';
import { type ChallengeHost, startChallengeHost } from './challenge-host.ts';

export const SECRET_KEY = randomBytes(32);
export const SEALER = sealerOf(SECRET_KEY, 'a test');

const HOUR_MS = 3_600_000;

export const HOST = 'docs.example.test';

export interface Lab {
  readonly db: Db;
  readonly nameServer: NameServer;
  readonly host: ChallengeHost;
  readonly ports: LabAuthorityOptions;
  readonly log: Logger;
  /** Lines of the log, one after the other. */
  readonly logged: string[];
  /** Projects whose site changed. */
  readonly changed: string[];
  issuer(authority: LabAuthority, options?: IssuerOptions): ReturnType<typeof startIssuer>;
}

interface IssuerOptions {
  readonly acme?: AcmeChange;
  readonly now?: () => number;
}

/** A store with a project, a name server that leads `*.example.test` here, and a host that answers challenges. */
export async function openLab(t: TestContext, opened?: Db): Promise<Lab> {
  const db = opened ?? (await openTestDatabase(t)).db;
  await putProject(db, 'petstore', 'pro');
  const nameServer = await startNameServer({
    zones: { 'example.test': [{ name: '*.example.test', type: 'A', value: '127.0.0.1' }] },
  });
  cleanUp(t, nameServer.close);
  const host = await startChallengeHost(t, () => db);
  const logged: string[] = [];
  const changed: string[] = [];
  const log: Logger = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
  return {
    db,
    nameServer,
    host,
    ports: { httpPort: host.httpPort, tlsPort: host.tlsPort, nameServer: nameServer.server },
    log,
    logged,
    changed,
    issuer(authority, { acme, now = Date.now } = {}) {
      const issuer = startIssuer({
        db,
        now,
        log,
        sealer: SEALER,
        siteChanged: (project) => changed.push(project),
        config: { acme: acmeConfig(authority, acme) },
      });
      cleanUp(t, issuer.stop);
      return issuer;
    },
  };
}

/** Changes of the configuration, and of its first authority. */
export type AcmeChange = Partial<AcmeConfig & AuthorityConfig>;

export function acmeConfig(
  { directoryUrl, caFile }: Pick<LabAuthority, 'directoryUrl' | 'caFile'>,
  change: AcmeChange = {},
): AcmeConfig {
  const first: AuthorityConfig = {
    directoryUrl: change.directoryUrl ?? directoryUrl,
    eab: change.eab,
    profile: change.profile,
    caaIdentities: change.caaIdentities ?? [],
    challenges: change.challenges ?? ['http-01', 'tls-alpn-01'],
    ordersPer3Hours: 300,
  };
  return {
    authorities: change.authorities ?? [first],
    stagingDirectoryUrl: change.stagingDirectoryUrl,
    caFile: 'caFile' in change ? change.caFile : caFile,
    email: 'ops@example.test',
  };
}

/** The configuration of several authorities, in this order, with a file of the roots of their directories. */
export async function acmeOf(
  t: TestContext,
  authorities: readonly LabAuthority[],
  changes: readonly Partial<AuthorityConfig>[] = [],
): Promise<AcmeConfig> {
  const caFile = join(await temporaryFolder(t), 'roots.pem');
  const roots = authorities.map((one) => readFileSync(one.caFile, 'utf8'));
  writeFileSync(caFile, roots.join('\n'));
  const [first, ...others] = authorities.map((one, at) => ({
    ...acmeConfig(one).authorities[0],
    ...changes[at],
  }));
  assert.ok(first);
  return { ...acmeConfig({ directoryUrl: '', caFile }), authorities: [first, ...others] };
}

/** The authority in this process, as all that it validates: while that stands still, none of them responds. */
export async function startLabAuthority(
  t: TestContext,
  lab: Pick<Lab, 'ports'>,
  options: Partial<CertificateAuthorityOptions> = {},
): Promise<CertificateAuthority> {
  const authority = await startCertificateAuthority({
    ...{ timeoutMs: PATIENCE_MS, ...lab.ports, ...options },
  });
  cleanUp(t, authority.close);
  return authority;
}

/** Has an authority hold the first call of a kind before it acts, until `release`. */
export function holdFirst(held: Call) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  let isFirst = true;
  return {
    release,
    onCall(call: Call, phase: 'received' | 'done'): Promise<void> | undefined {
      if (call !== held || phase !== 'received' || !isFirst) return undefined;
      isFirst = false;
      return promise;
    },
  };
}

const pebble = await findPebble();

/** A test of the protocol, on the authority in this process and on pebble where it is installed; in CI it has to be. */
export function onBothAuthorities(
  title: string,
  body: (
    t: TestContext,
    start: (lab: Lab, options?: Partial<LabAuthorityOptions>) => Promise<LabAuthority>,
  ) => Promise<void>,
): void {
  test(`${title} [on the in-process directory]`, (t) =>
    body(t, (lab, options) => startLabAuthority(t, lab, { refusedNonces: 7, ...options })));
  const isOptional = process.env.CI_REQUIRES_ALL !== '1';
  const skip = pebble === undefined && isOptional ? PEBBLE_HINT : false;
  test(`${title} [on pebble]`, { skip }, (t) =>
    body(t, async (lab, options) => {
      assert.ok(pebble, PEBBLE_HINT);
      const authority = await startPebble(pebble, { ...lab.ports, ...options });
      cleanUp(t, authority.close);
      return authority;
    }),
  );
}

/** A domain of the project, verified, for which a certificate is wished. */
export async function putVerifiedDomain(
  db: Db,
  hostname: string = HOST,
  at: number = Date.now(),
): Promise<string> {
  const id = `dom_${hostname}`;
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('domains')
      .values({
        id,
        project_id: 'petstore',
        hostname,
        target_label: id,
        proof: 'proof',
        link_secret: id,
        verified_at: at,
        holds: 1,
        created_at: at,
        created_by_email: 'ann@example.com',
        hsts_include_subdomains: 0,
      })
      .execute();
    await ensureCertificate(trx, { id, hostname }, at);
  });
  return id;
}

/** Puts the verdict of a DNS check of a domain into the store, as far as an issuer reads it. */
export async function putCheck(
  db: Db,
  domainId: string,
  verdict: Pick<Verdict, 'authorities'>,
): Promise<void> {
  const row = { domain_id: domainId, verdict: JSON.stringify(verdict), points_here: 1 };
  const times = { checked_at: 0, began_at: 0, attempts: 1, next_check_at: null };
  await db
    .insertInto('domain_checks')
    .values({ ...row, ...times })
    .execute();
}

/** Puts a certificate of a domain into the store that no server could serve. */
export async function putCertificateRow(
  db: Db,
  domainId: string,
  more: Partial<CertificateRow>,
): Promise<void> {
  const dates = { not_before: 0, not_after: Date.now(), issued_at: 0, renew_at: Date.now() };
  const texts = { hostname: HOST, chain: '', sealed_key: '', issuer: 'x', serial: 'x' };
  const row = {
    domain_id: domainId,
    ...texts,
    ...dates,
    ari_id: null,
    ari_check_at: null,
    directory_url: null,
    ...more,
  };
  await db.transaction().execute((trx) => putCertificate(trx, row));
}

let witnesses = 0;

/**
 * Has a certificate made for another name, and waits for it: by then the issuer has looked at all that was due before,
 * however slow the machine is, and what it then should not have done it would have.
 */
export async function witness(
  { db }: Lab,
  issuer: Pick<ReturnType<typeof startIssuer>, 'wake'>,
  at?: number,
): Promise<void> {
  const id = await putVerifiedDomain(db, `witness-${++witnesses}.example.test`, at);
  issuer.wake();
  await until(() => certificateOf(db, id), 'the certificate of the witness');
}

/** Waits until something is there. */
export async function until<T>(
  find: () => Promise<T | undefined | false>,
  what: string,
  patienceMs = 240_000,
): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    assert.ok(Date.now() < deadline, `waited in vain for ${what}`);
    await sleep(20);
  }
}

export function certificateOf(db: Db, domainId: string) {
  return db
    .selectFrom('certificates')
    .selectAll()
    .where('domain_id', '=', domainId)
    .executeTakeFirst();
}

/** Waits until the authority has said when to renew a certificate, and what it said is stored. */
export async function renewalTold(db: Db, domainId: string, now: () => number): Promise<void> {
  await until(async () => {
    const row = await certificateOf(db, domainId);
    // Asked next after six hours; while it is being asked, in an hour.
    return (row?.ari_check_at ?? 0) > now() + 5 * HOUR_MS;
  }, 'when to renew');
}

export function issuanceOf(db: Db, domainId: string) {
  return db
    .selectFrom('issuances')
    .selectAll()
    .where('domain_id', '=', domainId)
    .executeTakeFirst();
}

/** The kinds of a domain's events, oldest first. */
export async function eventsOf(db: Db, domainId: string) {
  return db
    .selectFrom('domain_events')
    .select(['kind', 'message', 'details'])
    .where('domain_id', '=', domainId)
    .orderBy('id')
    .execute();
}
