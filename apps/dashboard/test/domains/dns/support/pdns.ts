import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyPort } from '@petstore/lab/ports.ts';
import type { Ending } from '@petstore/test-support/clean-up.ts';
import { runProgram, startProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';

const PDNS = '/usr/sbin/pdns_server';
const PDNS_CONTROL = '/usr/bin/pdns_control';

/** Why tests with PowerDNS cannot be run here; false: they can, or have to. */
export const WITHOUT_PDNS =
  !existsSync(PDNS) && process.env.CI_REQUIRES_ALL !== '1'
    ? 'pdns_server is not installed: apt-get install pdns-server pdns-backend-bind'
    : false;

export interface Pdns {
  readonly port: number;
  /** Serves other records of a zone from now on. */
  load(zone: string, lines: readonly string[]): Promise<void>;
}

/**
 * PowerDNS with these zones, given by the lines of their files, which resolves ALIAS records at `resolver`.
 * Ends with the test.
 */
export async function startPdns(
  t: Ending,
  zones: Readonly<Record<string, readonly string[]>>,
  resolver: string,
): Promise<Pdns> {
  assert.ok(existsSync(PDNS), `${PDNS} is missing: apt-get install pdns-server pdns-backend-bind`);
  const folder = await temporaryFolder(t);
  const port = await anyPort([]);
  const named = await Promise.all(
    Object.entries(zones).map(async ([zone, lines]) => {
      const file = join(folder, `${zone}.zone`);
      await writeFile(file, zoneFile(zone, lines));
      return `zone "${zone}" { type master; file "${file}"; };`;
    }),
  );
  await writeFile(join(folder, 'named.conf'), `${named.join('\n')}\n`);
  const settings = {
    daemon: 'no',
    guardian: 'no',
    launch: 'bind',
    'bind-config': join(folder, 'named.conf'),
    'local-address': '127.0.0.1',
    'local-port': port,
    'socket-dir': folder,
    'expand-alias': 'yes',
    resolver,
    'security-poll-suffix': '',
    'disable-syslog': 'yes',
    'config-dir': folder,
    'cache-ttl': 0,
    'query-cache-ttl': 0,
    'negquery-cache-ttl': 0,
  };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const program = startProgram(t, PDNS, args, folder, {});
  const deadline = Date.now() + 60_000;
  while (!(await isListening(port))) {
    assert.ok(Date.now() < deadline && program.child.exitCode === null, program.output.stderr);
    await sleep(20);
  }
  return {
    port,
    async load(zone, lines) {
      await writeFile(join(folder, `${zone}.zone`), zoneFile(zone, lines));
      const control = [`--config-dir=${folder}`, `--socket-dir=${folder}`];
      const reload = [...control, 'bind-reload-now', zone];
      const { code, stderr } = await runProgram(PDNS_CONTROL, reload, folder);
      assert.equal(code, 0, stderr);
    },
  };
}

function zoneFile(zone: string, lines: readonly string[]): string {
  const head = [
    '$TTL 300',
    // Negative answers may be kept for a minute.
    `@ IN SOA ns1.${zone}. hostmaster.${zone}. ${Date.now() % 1_000_000_000} 3600 600 604800 60`,
    `@ IN NS ns1.${zone}.`,
    'ns1 IN A 127.0.0.1',
  ];
  return `${[...head, ...lines].join('\n')}\n`;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
