import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { anyPort } from '@petstore/lab/ports.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { holdTimers } from '@petstore/test-support/hold-timers.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { pino } from 'pino';
import { OPERATOR } from '../../server/src/audit/actor.ts';
import { startForwardingAudit } from '../../server/src/audit/syslog/forward-audit.ts';
import type { SyslogConfig } from '../../server/src/audit/syslog/syslog-config.ts';
import type { Config } from '../../server/src/config.ts';
import { writeAudit } from '../../server/src/store/audit.ts';
import type { Db } from '../../server/src/store/schema.ts';
import { authority } from '../edge/support/certificates.ts';
import { createProject } from '../support/project.ts';
import { startService } from '../support/service.ts';
import { openTestDatabase } from '../support/store.ts';
import { startReceiver, startUdpReceiver } from './support/syslog-receiver.ts';

const idsOf = async (db: Db) =>
  (await db.selectFrom('audit_log').select('id').orderBy('id').execute()).map(({ id }) => id);

/** Writes entries; the id of the last one. */
async function write(db: Db, targets: readonly string[]): Promise<number> {
  for (const target of targets) {
    await db
      .transaction()
      .execute((trx) =>
        writeAudit(trx, Date.now(), OPERATOR, { action: 'account.create', target }),
      );
  }
  return (await idsOf(db)).at(-1) ?? 0;
}

/** A sender as a process of `dashboard serve` has one, that does not wait between its tries. */
function forward(t: TestContext, db: Db, auditSyslog: SyslogConfig): string[] {
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => logged.push(line) });
  const config = { auditSyslog } as Config;
  const runner = startForwardingAudit({ db, now: Date.now, config, log }, { retriesMs: [10] });
  assert.ok(runner);
  cleanUp(t, runner.stop);
  return logged;
}

onBothEngines('a log server has every entry, in order, whenever it listens', async (t) => {
  const first = await startReceiver(t, { port: await anyPort([]) });
  const auditSyslog = {
    transport: 'tcp',
    host: '127.0.0.1',
    port: first.port,
    caFile: undefined,
  } as const;
  const service = await startService(t, { auditSyslog });
  const { db } = service;
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const made = (await idsOf(db)).at(-1) ?? 0;
  await first.received(made);
  assert.deepEqual(first.ids(), await idsOf(db));
  const last = first.messages.at(-1);
  assert.deepEqual(
    [last?.priority, last?.application, last?.id, last?.timestamp],
    [109, 'dashboard', 'project.create', last?.entry.at],
  );
  assert.deepEqual(
    [last?.entry.actor, last?.entry.project, last?.entry.target, last?.entry.ip],
    ['root@example.com', 'pets', 'pets', '127.0.0.1'],
  );

  // While nobody listens, entries wait; the next receiver at the address has them all.
  await timeUntil(async () => (await unsent(db)) === 0);
  await first.close();
  for (const slug of ['boats', 'cars']) await createProject(root, slug);
  const waiting = (await idsOf(db)).filter((id) => id > made);
  await timeUntil(async () => service.logged.some((line) => line.includes('its entries wait')));
  const second = await startReceiver(t, { port: first.port });
  await second.received(waiting.at(-1) ?? 0);
  assert.deepEqual(second.ids(), waiting);
});

test('what a receiver broke off is sent again, over TLS, and to nobody else', async (t) => {
  const { db } = await openTestDatabase(t);
  const folder = await temporaryFolder(t);
  const caFile = join(folder, 'roots.pem');
  await writeFile(caFile, authority.root);
  const { chain: cert, key } = await authority.issue('localhost');
  const last = await write(db, ['ann', 'Größe 🐕\nwith a line break', 'x'.repeat(9_000)]);

  // A stranger at the address, whom nobody vouches for, is told nothing.
  const stranger = await startReceiver(t, { tls: { cert, key } });
  const base = { transport: 'tls', host: 'localhost' } as const;
  const refused = forward(t, db, { ...base, port: stranger.port, caFile: undefined });
  await timeUntil(async () => refused.some((line) => line.includes('cannot be sent')));
  assert.deepEqual(stranger.messages, []);

  let broken = 0;
  // How long a receiver has to break off. It does so in time, though this process hears of it later.
  const held = holdTimers(t, (ms) => ms === 300 && broken < 2);
  const receiver = await startReceiver(t, {
    tls: { cert, key },
    // Twice it dies, before and after it has read.
    onConnection: (socket) => {
      if (broken >= 2) return false;
      if (broken === 0) socket.destroy();
      else socket.once('data', () => socket.destroy());
      socket.once('close', () => {
        broken += 1;
        for (const { end } of [...held]) end();
      });
      return true;
    },
  });
  forward(t, db, { ...base, port: receiver.port, caFile });
  await receiver.received(last);
  assert.equal(broken, 2);
  assert.deepEqual(receiver.ids(), await idsOf(db));
  assert.equal(receiver.messages[1]?.entry.target, 'Größe 🐕\nwith a line break');
  await timeUntil(async () => (await unsent(db)) === 0);
});

test('several processes send each entry once, and UDP carries them too', async (t) => {
  const { db } = await openTestDatabase(t);
  const receiver = await startUdpReceiver(t);
  const config = {
    transport: 'udp',
    host: '127.0.0.1',
    port: receiver.port,
    caFile: undefined,
  } as const;
  for (let n = 0; n < 3; n += 1) forward(t, db, config);
  const last = await write(
    db,
    Array.from({ length: 30 }, (_, n) => `person-${n}`),
  );
  await receiver.received(last);
  await timeUntil(async () => (await unsent(db)) === 0);
  assert.deepEqual(receiver.ids(), await idsOf(db));
});

const unsent = async (db: Db) =>
  (await db.selectFrom('audit_log').select('id').where('forwarded_at', 'is', null).execute())
    .length;
