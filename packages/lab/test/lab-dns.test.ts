import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { startLabDns } from '../src/lab-dns.ts';
import { findScenario } from '../src/scenarios/scenarios.ts';

test('a setup takes the place of what its name had, and leaves the records of other names', async (t) => {
  const dns = await startLabDns({ 'example.test': [] }, 0);
  cleanUp(t, dns.close);
  const other = { name: 'www.example.test', type: 'A', value: '192.0.2.1' } as const;
  dns.add(other);
  dns.add({ name: 'docs.example.test', type: 'A', value: '192.0.2.2' });
  dns.applyScenario('docs.example.test', 'example.test', {
    records: [{ name: 'docs.example.test.example.test', type: 'A', value: '192.0.2.3' }],
  });
  const right = { name: 'docs.example.test', type: 'CNAME', value: 'www.example.test' } as const;
  dns.applyScenario('docs.example.test', 'example.test', { records: [right] });
  assert.deepEqual(dns.zones(), [{ origin: 'example.test', records: [other, right] }]);

  for (const server of [dns.server, dns.authorityServer]) {
    const resolver = new Resolver();
    resolver.setServers([server]);
    assert.deepEqual(await resolver.resolve4('docs.example.test'), ['192.0.2.1']);
  }
});

test('what the authority shall not find, everyone else finds', async (t) => {
  const dns = await startLabDns({ 'example.test': [] }, 0);
  cleanUp(t, dns.close);
  const record = { name: 'docs.example.test', type: 'A', value: '192.0.2.1' } as const;
  dns.applyScenario('docs.example.test', 'example.test', {
    records: [record],
    faults: [{ to: 'authority', how: 'servfail', scope: { name: record.name } }],
  });
  const [everyone, authority] = [dns.server, dns.authorityServer].map((server) => {
    const resolver = new Resolver();
    resolver.setServers([server]);
    return resolver.resolve4(record.name);
  });
  assert.deepEqual(await everyone, ['192.0.2.1']);
  await assert.rejects(authority ?? Promise.resolve(), { code: 'ESERVFAIL' });
});

test('an apex that the authority cannot look up leaves it the names below', async (t) => {
  const dns = await startLabDns({ 'example.test': [] }, 0);
  cleanUp(t, dns.close);
  const [apex, below] = ['example.test', 'docs.example.test'] as const;
  dns.add({ name: below, type: 'A', value: '192.0.2.1' });
  const records = [{ name: apex, type: 'A', value: '192.0.2.2' }] as const;
  const claim = { hostname: apex, zone: apex, isApex: true, records };
  const setup = findScenario('authority-fails')?.setup(claim);
  assert.ok(setup);
  dns.applyScenario(apex, apex, setup);
  const resolver = new Resolver();
  resolver.setServers([dns.authorityServer]);
  await assert.rejects(resolver.resolve4(apex), { code: 'ESERVFAIL' });
  assert.deepEqual(await resolver.resolve4(below), ['192.0.2.1']);
  // Authorities ask for these on the way up from the names below.
  await assert.rejects(resolver.resolveCaa(apex), { code: 'ENODATA' });
});

test('a zone that is not there yet is made for a name', async (t) => {
  const dns = await startLabDns({}, 0);
  cleanUp(t, dns.close);
  assert.throws(
    () => dns.add({ name: 'docs.example.test', type: 'A', value: '192.0.2.1' }),
    RangeError,
  );
  dns.applyScenario('docs.example.test', 'example.test', { records: [] });
  assert.deepEqual(dns.zones(), [{ origin: 'example.test', records: [] }]);
});
