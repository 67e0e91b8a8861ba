import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ending } from '@petstore/test-support/clean-up.ts';
import { runProgram } from '@petstore/test-support/program.ts';
import {
  startUnboundOf,
  startValidatingRecursor,
  WITHOUT_DNS_TOOLS,
} from '@petstore/test-support/resolvers.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';

/** Why tests with signed zones cannot be run here; false: they can, or have to. */
export const WITHOUT_SIGNED_ZONES =
  WITHOUT_DNS_TOOLS ||
  (!existsSync('/usr/bin/dnssec-signzone') && process.env.CI_REQUIRES_ALL !== '1'
    ? 'missing: apt-get install bind9-utils'
    : false);

export interface SignedZone {
  /** As zone files have them, relative to the zone. */
  readonly lines: readonly string[];
  /** Of the keys, as dnssec-keygen calls it; none: the zone is not signed. */
  readonly algorithm?: string;
  /** Further options of dnssec-signzone, such as `-3 -` and `-e`. */
  readonly options?: readonly string[];
  /** The zone above has the DS record of another key, or one though the zone is not signed. */
  readonly ds?: 'other' | 'none';
  /** Changes the signed zone file. */
  readonly spoil?: (lines: string[]) => string[];
}

const SOA = (zone: string) =>
  `${zone === '.' ? '.' : `${zone}.`} 300 IN SOA ns.test. hostmaster.test. 1 3600 600 86400 60`;

/**
 * Zones below `test`, which is signed and has the trust anchor, at an Unbound that does not validate, at one that does,
 * and at a recursor of PowerDNS that does.
 * A zone `b.a.test` has its DS record in `a.test`. `more`: zones without signatures elsewhere.
 */
export async function startSignedZones(
  t: Ending,
  zones: Readonly<Record<string, SignedZone>>,
  more: Readonly<Record<string, readonly string[]>>,
) {
  const folder = await temporaryFolder(t);
  const files: Record<string, string> = {};
  const ds: Record<string, string[]> = {};
  const above = (zone: string) => {
    const name = zone.slice(zone.indexOf('.') + 1);
    return name in zones ? name : 'test';
  };
  // The longest names first: their DS records belong into the zones above them.
  const all = Object.entries(zones).toSorted(([a], [b]) => b.length - a.length);
  for (const [zone, one] of all) {
    const signed = await signedFile(folder, zone, one, ds[zone] ?? []);
    files[zone] = signed.file;
    const parent = above(zone);
    ds[parent] = [...(ds[parent] ?? []), `${zone}. 300 IN NS ns.test.`, ...signed.ds];
  }
  const test = await signedFile(
    folder,
    'test',
    { lines: ['ns IN A 127.0.0.1'], algorithm: 'ECDSAP256SHA256' },
    ds.test ?? [],
  );
  files.test = test.file;
  for (const [zone, lines] of Object.entries({ '.': ['test. 300 IN NS ns.test.'], ...more })) {
    files[zone] = await plainFile(folder, zone, lines);
  }
  const plain = await startUnboundOf(t, files, []);
  return {
    plain,
    validating: await startUnboundOf(t, files, test.ds),
    recursor: await startValidatingRecursor(t, plain, test.ds),
  };
}

async function plainFile(folder: string, zone: string, lines: readonly string[]): Promise<string> {
  const file = join(folder, `${zone === '.' ? 'root' : zone}.zone`);
  const origin = zone === '.' ? '.' : `${zone}.`;
  const all = [`$ORIGIN ${origin}`, '$TTL 300', SOA(zone), `${origin} IN NS ns.test.`, ...lines];
  await writeFile(file, `${all.join('\n')}\n`);
  return file;
}

async function signedFile(
  folder: string,
  zone: string,
  { lines, algorithm, options = [], ds, spoil = (same) => same }: SignedZone,
  delegations: readonly string[],
): Promise<{ file: string; ds: readonly string[] }> {
  const file = await plainFile(folder, zone, [...lines, ...delegations]);
  if (algorithm === undefined) {
    return { file, ds: ds === 'other' ? [await otherDs(folder, zone, 'ECDSAP256SHA256')] : [] };
  }
  const keys = join(folder, `keys-${zone}`);
  await mkdir(keys);
  const size = algorithm.startsWith('RSA') ? ['-b', '2048'] : [];
  await run('dnssec-keygen', keys, '-q', '-K', keys, '-a', algorithm, ...size, '-f', 'KSK', zone);
  await run('dnssec-keygen', keys, '-q', '-K', keys, '-a', algorithm, ...size, zone);
  const signed = `${file}.signed`;
  const [signer, ...more] = ['dnssec-signzone', '-S', '-K', keys, '-o', zone, '-f', signed];
  await run(signer ?? '', keys, ...more, '-P', '-O', 'full', ...options, file);
  const text = await readFile(signed, 'utf8');
  await writeFile(signed, `${spoil(text.split('\n')).join('\n')}\n`);
  if (ds === 'none') return { file: signed, ds: [] };
  if (ds === 'other') return { file: signed, ds: [await otherDs(folder, zone, algorithm)] };
  const own = await readFile(join(keys, `dsset-${zone}.`), 'utf8');
  return { file: signed, ds: own.trim().split('\n') };
}

/** The DS record of a key that the zone does not have. */
async function otherDs(folder: string, zone: string, algorithm: string): Promise<string> {
  const keys = join(folder, `other-${zone}`);
  await mkdir(keys);
  const args = ['-q', '-K', keys, '-a', algorithm, '-f', 'KSK', zone];
  const name = (await run('dnssec-keygen', keys, ...args)).trim();
  return (await run('dnssec-dsfromkey', keys, '-2', join(keys, name))).trim();
}

async function run(command: string, folder: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(`/usr/bin/${command}`, args, folder);
  assert.equal(code, 0, `${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}
