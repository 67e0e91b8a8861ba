import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram } from '@petstore/test-support/program.ts';
import {
  startRecursor,
  startUnbound,
  WITHOUT_DNS_TOOLS,
} from '@petstore/test-support/resolvers.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { writeZoneFile } from '../src/zone-file.ts';
import { start } from './support/ask.ts';
import { ORIGIN, ZONE } from './support/zone.ts';

// What programs of others make of the server: dig and delv of ISC, kdig of CZ.NIC, Unbound of NLnet Labs, PowerDNS.

const skip = WITHOUT_DNS_TOOLS;

async function run(command: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(command, args, '/');
  assert.equal(code, 0, `${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

test('dig finds what there is, over UDP and TCP, with each of its EDNS options', {
  skip,
}, async (t) => {
  const { server } = await start(t);
  const at = ['@127.0.0.1', '-p', `${server.port}`, '+norecurse', '+tries=1', '+timeout=60'];
  const options = [
    [],
    ['+tcp'],
    ['+noedns'],
    ['+dnssec'],
    ['+nsid', '+subnet=192.0.2.0/24', '+ednsflags=0x40', '+ednsopt=65001:00ff', '+padding=128'],
    ['+cookie', '+keepalive', '+tcp'],
    ['+ednsflags=0x7fff', '+adflag', '+cdflag', '+zflag'],
    ['+bufsize=512'],
  ];
  for (const one of options) {
    const said = await run('dig', ...at, ...one, 'TXT', `claim.${ORIGIN}`);
    assert.match(said, /status: NOERROR/, one.join(' '));
    assert.match(said, /flags: qr aa/, one.join(' '));
    assert.match(said, /ANSWER: 2/, one.join(' '));
    assert.doesNotMatch(said, /WARNING|FORMERR|malformed|MBZ/i, one.join(' '));
  }
  const badVersion = await run('dig', ...at, '+edns=1', '+noednsneg', 'SOA', ORIGIN);
  assert.match(badVersion, /status: BADVERS/);
  assert.match(badVersion, /EDNS: version: 0/);
  const many = await run('dig', ...at, '+short', 'TXT', `many.${ORIGIN}`);
  assert.equal(many.match(/^"/gm)?.length, 40, 'truncated, and fetched over TCP');
  const long = await run('dig', ...at, '+short', 'TXT', `long.${ORIGIN}`);
  assert.equal(
    long.trim(),
    `"${'x'.repeat(255)}" "${'x'.repeat(45)} \\"quoted\\" \\\\ \\195\\169"`,
  );
  for (const [opcode, status] of [
    [2, 'NOTIMP'],
    [4, 'NOTIMP'],
    [5, 'NOTIMP'],
    [14, 'NOTIMP'],
  ]) {
    const said = await run('dig', ...at, `+opcode=${opcode}`, 'SOA', ORIGIN);
    assert.match(said, new RegExp(`status: ${status}`));
  }
  assert.match(await run('dig', ...at, 'CH', 'TXT', 'version.bind'), /status: REFUSED/);
  assert.match(await run('dig', ...at, 'A', 'www.example.org'), /status: REFUSED/);
  const transfer = await runProgram('dig', [...at, 'AXFR', ORIGIN], '/');
  assert.match(transfer.stdout, /Transfer failed/);
  assert.match(await run('dig', ...at, '+header-only', ORIGIN), /status: (FORMERR|NOERROR)/);
});

test('kdig asks several times over one connection, with cookies and padding', {
  skip,
}, async (t) => {
  const { server } = await start(t);
  const at = ['@127.0.0.1', '-p', `${server.port}`, '+norec', '+timeout=60'];
  const names = [`claim.${ORIGIN}`, `alias.${ORIGIN}`, `many.${ORIGIN}`];
  const said = await run(
    'kdig',
    ...at,
    '+tcp',
    '+keepopen',
    '+cookie',
    '+padding=64',
    'TXT',
    ...names,
  );
  assert.equal(said.match(/status: NOERROR/g)?.length, 3);
  assert.equal(said.match(/\tTXT\t/g)?.length, 2 + 2 + 40);
  assert.ok(!/WARNING|;; ERROR/.test(said));
  const negative = await run('kdig', ...at, 'TXT', `nothing.${ORIGIN}`);
  assert.match(negative, /status: NXDOMAIN/);
  assert.match(negative, /\t30\tIN\tSOA/);
});

test('delv takes answers as they are, unsigned', { skip }, async (t) => {
  const { server } = await start(t);
  const said = await run(
    'delv',
    '-i',
    '@127.0.0.1',
    '-p',
    `${server.port}`,
    'TXT',
    `alias.${ORIGIN}`,
  );
  assert.match(said, /alias\S+\s+60\s+IN\s+CNAME/);
  assert.match(said, /"first"/);
});

for (const [name, startResolver] of [
  ['Unbound', startUnbound],
  ["PowerDNS's recursor", startRecursor],
] as const) {
  test(`${name} resolves the zone, and keeps what is absent as long as the SOA says`, {
    skip,
  }, async (t) => {
    const { server } = await start(t);
    // Node's waits only a few times as long as its server usually takes, so it asks a slow one again.
    const resolver = new Resolver({ timeout: 3_000, tries: 5 });
    resolver.setServers([await startResolver(t, { [ORIGIN]: `127.0.0.1:${server.port}` })]);
    const texts = async (label: string) =>
      (await resolver.resolveTxt(`${label}.${ORIGIN}`)).map((strings) =>
        Buffer.from(strings.join(''), 'latin1').toString(),
      );
    assert.deepEqual((await texts('claim')).sort(), ['first', 'second']);
    assert.deepEqual((await texts('alias')).sort(), ['first', 'second']);
    assert.deepEqual(await texts('long'), [`${'x'.repeat(300)} "quoted" \\ é`]);
    assert.equal((await texts('many')).length, 40, 'over TCP');
    assert.deepEqual(await texts('a.b.c'), ['deep'], 'below a name without records');
    assert.deepEqual(await resolver.resolve4(`any.wild.${ORIGIN}`), ['192.0.2.9']);
    assert.deepEqual((await resolver.resolveNs(ORIGIN)).sort(), [`ns1.${ORIGIN}`, `ns2.${ORIGIN}`]);
    assert.equal((await resolver.resolveCaa(ORIGIN))[0]?.issue, 'ca.test');
    await assert.rejects(texts('nothing'), { code: 'ENOTFOUND' });
    await assert.rejects(texts('b.c'), { code: 'ENODATA' });
    await assert.rejects(resolver.resolve6(`claim.${ORIGIN}`), { code: 'ENODATA' });
    // A resolver that did not keep it has nobody to ask now, and says so by another error.
    await server.close();
    for (let i = 0; i < 5; i += 1) await assert.rejects(texts('nothing'), { code: 'ENOTFOUND' });
  });
}

test("named-checkzone reads the zone's file, and finds no fault", { skip }, async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'zone');
  await writeFile(file, writeZoneFile(ZONE));
  const said = await run('named-checkzone', '-k', 'fail', '-D', '-o', '-', ORIGIN, file);
  for (const { name, type } of ZONE.records)
    assert.match(
      said,
      new RegExp(`^${name.replaceAll('.', '\\.').replace('*', '\\*')}\\.\\s.*${type}`, 'm'),
    );
  assert.match(said, /\\195\\169/);
});

test('without the programs of others the file has each record once', () => {
  const lines = writeZoneFile(ZONE).trim().split('\n');
  assert.equal(lines[0], `$ORIGIN ${ORIGIN}.`);
  assert.match(lines[1] ?? '', / IN SOA /);
  assert.equal(lines.length, 1 + ZONE.records.length);
});
