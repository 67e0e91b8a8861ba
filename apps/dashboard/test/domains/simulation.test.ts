import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Simulation } from '../../server/src/domains/simulation/simulation.ts';
import { assertError, json } from '../support/service.ts';
import { addDomain, getDomain, readyProject, startDomainService } from './support/domains.ts';

const PATH = '/api/projects/pets/dns-simulation';
const HOST = 'docs.example.test';

test('a name is checked with records that nobody has set, and what they would bring is said', async (t) => {
  const { root, dns, db } = await startDomainService(t);
  await readyProject(root, 'pets');
  const zone = dns.zone('example.test');
  zone.setRecords(HOST, 'MX', ['10 mail.example.test']);
  zone.setRecords('example.test', 'CAA', [
    '0 issue "letsencrypt.org"',
    '0 issue "digicert.com; accounturi=https://digicert.test/1"',
    '0 issuewild "amazon.com"',
  ]);
  const simulate = async (body: object) =>
    json<Simulation>(await root.call('POST', PATH, { hostname: HOST, ...body }));

  const now = await simulate({ authority: 'ca.example' });
  assert.equal(now.today, null);
  assert.equal(now.isDomain, false);
  assert.equal(now.target, 'your-own-target.docs.localhost');
  assert.equal(now.decidedAt, 'example.test');
  assert.deepEqual(now.consequences, []);
  for (const { steps } of now.climb) {
    assert.deepEqual(
      steps.map(({ name, records }) => [name, records.length]),
      [
        [HOST, 0],
        ['example.test', 3],
      ],
    );
  }
  const of = ({ authorities }: Simulation, identity: string) =>
    authorities.find((one) => one.identity === identity);
  const ours = of(now, 'letsencrypt.org');
  assert.deepEqual(
    [ours?.isConfigured, ours?.isAllowed, ours?.wildcard.reason],
    [true, true, 'issuer'],
  );
  assert.equal(of(now, 'digicert.com')?.reason, 'accounturi');
  const amazon = of(now, 'amazon.com');
  assert.deepEqual([amazon?.isAllowed, amazon?.wildcard.isAllowed], [false, true]);
  assert.equal(of(now, 'ca.example')?.record?.value, '0 issue "ca.example"');
  assert.equal(of(now, 'ca.example')?.record?.name, 'example.test');

  // A CNAME beside MX: the verdict, and the mail that would be lost.
  const cname = { type: 'CNAME', name: HOST, value: `${now.target}.` };
  const beside = await simulate({ set: [cname] });
  assert.equal(beside.verdict.reason, 'beside_cname');
  assert.equal(beside.today?.reason, 'instead_of_cname');
  assert.match(
    beside.consequences.join('\n'),
    /^Mail to addresses at docs\.example\.test no longer arrives/m,
  );

  // The remedy of a verdict, tried out.
  const mended = await simulate({ set: [cname], remove: beside.verdict.remove });
  assert.equal(mended.verdict.code, 'verified', mended.verdict.message);
  assert.match(mended.consequences.join('\n'), /leads here, and gets its certificate/);

  const near = await simulate({
    set: [{ ...cname, name: `${HOST}.example.test` }],
    remove: beside.verdict.remove,
  });
  assert.equal(near.verdict.reason, 'doubled_zone');

  const caa = { type: 'CAA', name: HOST, value: '0 issue "ca.example"' };
  const blocked = await simulate({ set: [cname, caa], remove: beside.verdict.remove });
  assert.equal(blocked.verdict.code, 'conflicting_record' in blocked ? '' : blocked.verdict.code);
  const atApex = { type: 'CAA', name: 'example.test', value: '128 tbs "x"' };
  const critical = await simulate({ set: [cname, atApex], remove: beside.verdict.remove });
  assert.equal(critical.verdict.reason, 'unknown_critical');
  assert.match(critical.consequences.join('\n'), /^No longer allowed to issue: 127\.0\.0\.1:9\.$/m);

  // Nothing of all that was stored, and the DNS is as it was.
  const rows = await db.selectFrom('domains').select('hostname').execute();
  assert.deepEqual(rows, []);

  // A domain of the project is checked with its own target.
  const domain = await addDomain(root, 'pets', HOST);
  const own = await simulate({
    set: [{ ...cname, value: domain.records[0]?.value }],
    remove: beside.verdict.remove,
  });
  assert.deepEqual([own.isDomain, own.verdict.code], [true, 'verified']);
  assert.equal((await getDomain(root, 'pets', HOST)).state, 'unverified');
});

test('what cannot be a name or a record is refused with what to write, and too many requests with when to come back', async (t) => {
  const { root, dns } = await startDomainService(t);
  await readyProject(root, 'pets');
  const record = { type: 'CNAME', name: HOST, value: 'x.example.net' };
  const refused: [body: object, message: RegExp][] = [
    [{ hostname: 'docs.localhost' }, /^hostname must .*the platform's/],
    [{ hostname: '127.0.0.1' }, /^hostname must .*not an IP address/],
    [{ hostname: 'router.lan' }, /^hostname must .*public DNS/],
    [
      { hostname: HOST, set: [{ ...record, name: 'docs' }] },
      /^name must be in example\.test, as a whole name such as docs\.example\.test/,
    ],
    [
      { hostname: HOST, set: [{ ...record, name: 'www.other.test' }] },
      /^name must be in example\.test/,
    ],
    [{ hostname: HOST, set: [{ ...record, value: 'not a name' }] }, /^value must be a name/],
    [{ hostname: HOST, set: [{ ...record, type: 'A' }] }, /^value must be an IPv4 address/],
    [
      { hostname: HOST, set: [{ ...record, type: 'AAAA', value: 'fe80::1%lo' }] },
      /^value must be an IPv6 address/,
    ],
    [
      { hostname: HOST, set: [{ ...record, type: 'MX' }] },
      /^value must be a preference and a host/,
    ],
    [
      { hostname: HOST, set: [{ ...record, type: 'CAA', value: 'issue x' }] },
      /^value must be flags, a tag and a value/,
    ],
    [{ hostname: HOST, set: [{ ...record, type: 'NS' }] }, /type/],
    [{ hostname: HOST, set: Array(11).fill(record) }, /10/],
  ];
  for (const [body, message] of refused) {
    const response = await root.call('POST', PATH, body);
    const said = await assertError(response, 400, 'invalid_request');
    assert.match(said, message);
  }
  assert.deepEqual(dns.queries, [], 'the DNS was not asked');
  for (let i = 0; i < 30; i++) {
    await json(await root.call('POST', PATH, { hostname: HOST }));
  }
  const late = await root.call('POST', PATH, { hostname: HOST });
  await assertError(late, 429, 'rate_limited');
  assert.ok(Number(late.headers.get('retry-after')) >= 1);
  const bounded = dns.queries.length / 30;
  assert.ok(bounded < 120, `${bounded} queries for each`);
});
