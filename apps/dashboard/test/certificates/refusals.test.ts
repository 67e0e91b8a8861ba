import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { parseProblem } from '../../server/src/certificates/problem.ts';
import {
  HOST,
  issuanceOf,
  onBothAuthorities,
  openLab,
  putVerifiedDomain,
  until,
} from './support/lab.ts';

// What authorities find when they look at a host.

onBothAuthorities(
  'a host that something else answers for is refused as unauthorized',
  async (t, start) => {
    const lab = await openLab(t);
    const impostor = createServer((_, response) => response.end('welcome')).listen(0, '127.0.0.1');
    await once(impostor, 'listening');
    cleanUp(t, () => impostor.close());
    const { port } = impostor.address() as AddressInfo;
    const authority = await start({ ...lab, ports: { ...lab.ports, httpPort: port } });
    const problem = await refusal(lab, authority);
    assert.equal(problem?.type, 'unauthorized');
    assert.equal(problem?.challenge, 'http-01');
  },
);

onBothAuthorities(
  'a host that cannot be connected to is refused for its connection',
  async (t, start) => {
    const lab = await openLab(t);
    // Nobody listens at the port of discard, not even here.
    const authority = await start({ ...lab, ports: { ...lab.ports, httpPort: 9, tlsPort: 9 } });
    assert.equal((await refusal(lab, authority))?.type, 'connection');
    const byTls = await refusal(lab, authority, 'tls-alpn-01');
    // Pebble has one word for all that goes wrong on the way there.
    assert.match(byTls?.type ?? '', /^(connection|unauthorized)$/);
    assert.match(byTls?.detail ?? '', /connect/);
  },
);

onBothAuthorities('a host that has no address is refused for its DNS', async (t, start) => {
  const lab = await openLab(t);
  lab.nameServer.zone('example.test').replace([]);
  const problem = await refusal(lab, await start(lab));
  assert.equal(problem?.type, 'dns', problem?.detail);
  assert.match(problem?.detail ?? '', /docs\.example\.test/);
});

/** What an attempt for the host ended with, and that nothing was left open. */
async function refusal(
  { db, issuer }: Awaited<ReturnType<typeof openLab>>,
  authority: Parameters<typeof issuer>[0],
  challenge: 'http-01' | 'tls-alpn-01' = 'http-01',
) {
  await db.deleteFrom('domains').execute();
  const id = await putVerifiedDomain(db);
  const running = issuer(authority, { acme: { challenges: [challenge] } });
  const row = await until(async () => {
    const found = await issuanceOf(db, id);
    return found && found.last_problem !== null && found.leased_by === null && found;
  }, 'a problem');
  await running.stop();
  assert.equal(row.order_url, null);
  assert.equal(row.hostname, HOST);
  assert.deepEqual(await db.selectFrom('acme_challenges').selectAll().execute(), []);
  const orders = await db.selectFrom('acme_orders').select('state').execute();
  assert.ok(orders.some(({ state }) => state === 'failed'));
  return parseProblem(row.last_problem);
}
