import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Call } from '@petstore/lab/certificate-authority/faults.ts';
import { anyPort } from '@petstore/lab/ports.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { PATIENCE_MS } from '@petstore/test-support/within.ts';
import { pino } from 'pino';
import { checkChain } from '../../server/src/certificates/check-chain.ts';
import { startIssuer } from '../../server/src/certificates/issuer.ts';
import { certificateKeyContext, sealerOf } from '../../server/src/certificates/sealing.ts';
import { readConfig } from '../../server/src/config.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import type { Db } from '../../server/src/store/schema.ts';
import { challengeZone } from '../../server/src/zone/challenge-zone.ts';
import { startOwnZone } from '../../server/src/zone/own-zone.ts';
import { checkCalls, startProcess } from './support/killed-process.ts';
import {
  acmeConfig,
  certificateOf,
  HOST,
  issuanceOf,
  openLab,
  putVerifiedDomain,
  startLabAuthority,
  until,
} from './support/lab.ts';

coverNoPrograms();

// A name that is prepared for a move is proven in the zone of the installation: the host that has its address is another
// one, which answers no challenge. Before and after that an issuance is as every other one (killed.test.ts).

const ZONE = 'acme.docs.localhost';
const LABEL = 'k7m2x9q4w3e8r5t6y1u0';
const CALLS: readonly Call[] = ['authorization', 'challenge', 'order'];

type OnCall = (call: Call, phase: 'received' | 'done') => Promise<void> | undefined;

describe('a process that is killed while it proves a prepared name leaves one certificate', {
  concurrency: 4,
}, () => {
  for (const call of CALLS) {
    for (const phase of ['received', 'done'] as const) {
      test(`at ${call} (${phase})`, async (t) => {
        const lab = await setUp(t);
        await lab.showZone();
        await lab.beginAndBeKilled((at, when) => at === call && when === phase);
        await lab.goOn();
      });
    }
  }
});

test('a process that is killed before its name servers show the challenge leaves one certificate', async (t) => {
  const lab = await setUp(t);
  await lab.beginAndBeKilled(
    () => false,
    () => until(async () => (await lab.challenges()).length > 0, 'the challenge'),
  );
  assert.equal(lab.authority.counts.challenge, 0, 'the authority was not told to look');
  await lab.showZone();
  await lab.goOn();
});

/** A prepared name whose address is of another host, and an authority that finds its challenges in the zone. */
async function setUp(t: TestContext) {
  const databaseUrl = `sqlite:${join(await temporaryFolder(t), 'store.db')}`;
  const { db, close } = await openDatabase(databaseUrl, 1);
  cleanUp(t, close);
  const lab = await openLab(t, db);
  const id = await putPreparedDomain(db);
  const { nameServer } = lab;
  const port = await anyPort([nameServer.port]);
  nameServer.zone('example.test').setRecords(HOST, 'A', ['203.0.113.7']);
  nameServer
    .zone('example.test')
    .setRecords(`_acme-challenge.${HOST}`, 'CNAME', [`${LABEL}.${ZONE}`]);
  nameServer.forward(ZONE, `127.0.0.1:${port}`, PATIENCE_MS);
  const config = readConfig({
    ...{ DNS_ZONE: ZONE, DNS_PORT: `${port}`, DNS_AUTHORITATIVE_PORT: `${port}` },
    DNS_SERVERS: nameServer.server,
  });
  const log = pino({ level: 'silent' });

  let onCall: OnCall = () => undefined;
  const authority = await startLabAuthority(t, lab, { onCall: (...call) => onCall(...call) });
  const acme = acmeConfig(authority);
  const key = randomBytes(32);
  const challenges = () => db.selectFrom('acme_challenges').selectAll().execute();

  return {
    authority,
    challenges,

    /** Starts the name server of the zone. */
    async showZone() {
      const zone = await startOwnZone(config, { db, log, now: Date.now });
      assert.ok(zone);
      cleanUp(t, zone.close);
    },

    /** A process begins, and is killed at a call, or when `other` resolves. */
    async beginAndBeKilled(
      isAt: (call: Call, phase: 'received' | 'done') => boolean,
      other?: () => Promise<unknown>,
    ) {
      const { dnsServers, dnsAuthoritativePort, dnsZone, platformHost } = config;
      const zone = { dnsServers, dnsAuthoritativePort, dnsZone, platformHost };
      const options = { databaseUrl, key: key.toString('base64'), acme, zone };
      const child = await startProcess(t, options);
      const killed = once(child, 'exit', { signal: AbortSignal.timeout(120_000) });
      let isKilled = false;
      onCall = async (call, phase) => {
        if (isKilled || !isAt(call, phase)) return;
        isKilled = true;
        child.kill('SIGKILL');
        await killed;
        if (phase === 'received') throw new Error('nothing comes of it');
      };
      child.send('begin');
      if (other) {
        await other();
        child.kill('SIGKILL');
      }
      const [, signal] = await killed;
      assert.equal(signal, 'SIGKILL', 'it was killed where it should be');
      assert.equal(await certificateOf(db, id), undefined);
    },

    /** Another process goes on: there is one certificate and one order, and nothing is left. */
    async goOn() {
      const sealer = sealerOf(key, 'a test');
      const issuer = startIssuer({
        ...{ db, log, sealer, now: Date.now, siteChanged: () => {} },
        ...{ config: { acme }, zone: challengeZone(config) },
      });
      cleanUp(t, issuer.stop);
      const { chain, sealed_key } = await until(() => certificateOf(db, id), 'the certificate');
      checkChain(chain, HOST, sealer.open(sealed_key, certificateKeyContext(id)), Date.now());
      assert.equal(await issuanceOf(db, id), undefined);
      assert.deepEqual(await challenges(), [], 'the zone shows nothing any more');
      checkCalls(authority);
      const orders = await db.selectFrom('acme_orders').select('state').execute();
      assert.deepEqual(
        orders.map(({ state }) => state),
        ['issued'],
        'counted once',
      );
    },
  };
}

async function putPreparedDomain(db: Db): Promise<string> {
  const id = await putVerifiedDomain(db);
  await db
    .updateTable('domains')
    .set({ prepare: 1, awaits_move: 1, target_label: LABEL })
    .execute();
  const times = { checked_at: 0, began_at: 0, attempts: 1, next_check_at: null };
  await db
    .insertInto('domain_checks')
    .values({ domain_id: id, verdict: null, points_here: 0, challenge_here: 1, ...times })
    .execute();
  return id;
}
