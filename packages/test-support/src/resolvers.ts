import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyPort } from '@petstore/lab/ports.ts';
import type { Ending } from './clean-up.ts';
import { startProgram } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';

// Resolvers that others wrote, which find the names of a zone at its own server.

const UNBOUND = '/usr/sbin/unbound';
const RECURSOR = '/usr/sbin/pdns_recursor';
const TOOLS = [
  UNBOUND,
  RECURSOR,
  ...['dig', 'delv', 'kdig', 'named-checkzone'].map((name) => `/usr/bin/${name}`),
];

/** Why tests with the DNS software of others cannot be run here; false: they can, or have to. */
export const WITHOUT_DNS_TOOLS =
  !TOOLS.every((path) => existsSync(path)) && process.env.CI_REQUIRES_ALL !== '1'
    ? 'missing: apt-get install bind9-dnsutils bind9-utils knot-dnsutils unbound pdns-recursor'
    : false;

/** Each zone's server, `ip:port`, by the zone's name. */
export type ZoneServers = Readonly<Record<string, string>>;

/** How long one may take to start, in milliseconds. */
const START_MS = 60_000;

/**
 * NLnet Labs' Unbound. It mixes the case of letters in its questions and believes no response without them, asks for
 * the fewest labels, and takes what is below a name that does not exist as absent. `ip:port`.
 */
export function startUnbound(t: Ending, zones: ZoneServers): Promise<string> {
  const stubs = Object.entries(zones).map(
    ([zone, at]) =>
      `stub-zone:\n  name: "${zone}"\n  stub-addr: ${at.replace(':', '@')}\n  stub-no-cache: no`,
  );
  return startConfiguredUnbound(t, [
    '  module-config: "iterator"',
    '  use-caps-for-id: yes',
    ...Object.keys(zones).map((zone) => `  local-zone: "${zone}" transparent`),
    ...stubs,
  ]);
}

/**
 * The same as resolver of a DNS that consists of the zones of these files, by their names. `anchors`: DS records from
 * which it validates; none: it does not.
 */
export function startUnboundOf(
  t: Ending,
  files: Readonly<Record<string, string>>,
  anchors: readonly string[],
): Promise<string> {
  const authoritative = Object.entries(files).map(
    ([zone, file]) =>
      `auth-zone:\n  name: "${zone}"\n  zonefile: "${file}"\n  for-downstream: no\n  for-upstream: yes\n  fallback-enabled: no`,
  );
  return startConfiguredUnbound(t, [
    `  module-config: "${anchors.length > 0 ? 'validator ' : ''}iterator"`,
    '  ede: yes',
    '  val-bogus-ttl: 0',
    '  aggressive-nsec: no',
    ...anchors.map((anchor) => `  trust-anchor: "${anchor.replace(/\s+/g, ' ')}"`),
    ...Object.keys(files).map((zone) => `  local-zone: "${zone}" transparent`),
    ...authoritative,
  ]);
}

/** `lines`: those of the server's section, and all sections after that. */
async function startConfiguredUnbound(t: Ending, lines: readonly string[]): Promise<string> {
  const folder = await temporaryFolder(t);
  const config = (port: number) => `
remote-control:
  control-enable: no
server:
  interface: 127.0.0.1
  port: ${port}
  do-daemonize: no
  use-syslog: no
  logfile: ""
  username: ""
  chroot: ""
  directory: "${folder}"
  pidfile: "${join(folder, 'unbound.pid')}"
  do-not-query-localhost: no
  qname-minimisation: yes
  harden-below-nxdomain: yes
  harden-referral-path: yes
  num-threads: 1
  so-rcvbuf: 0
${lines.join('\n')}
`;
  const file = join(folder, 'unbound.conf');
  return onFreePort(async (port) => {
    await writeFile(file, config(port));
    return started(t, UNBOUND, ['-d', '-c', file], folder, port);
  });
}

/** PowerDNS's recursor. `ip:port`. */
export function startRecursor(t: Ending, zones: ZoneServers): Promise<string> {
  const forwarded = Object.entries(zones).map(([zone, at]) => `${zone}=${at}`);
  return startConfiguredRecursor(t, {
    'forward-zones': forwarded.join(','),
    'hint-file': 'no',
    dnssec: 'off',
  });
}

/** The same, which validates from DS records on what another resolver finds. */
export async function startValidatingRecursor(
  t: Ending,
  resolver: string,
  anchors: readonly string[],
): Promise<string> {
  const file = join(await temporaryFolder(t), 'anchors.lua');
  const lines = anchors.map((anchor) => {
    const [, zone = '', ds = ''] = /^(\S+).*?\sDS\s+(.*)$/.exec(anchor) ?? [];
    const [tag, algorithm, type, ...digest] = ds.split(/\s+/);
    return `addTA("${zone}", "${tag} ${algorithm} ${type} ${digest.join('')}")`;
  });
  await writeFile(file, `clearTA()\n${lines.join('\n')}\n`);
  return startConfiguredRecursor(t, {
    'forward-zones-recurse': `.=${resolver}`,
    'lua-config-file': file,
    dnssec: 'validate',
    'max-cache-bogus-ttl': 1,
  });
}

async function startConfiguredRecursor(
  t: Ending,
  more: Readonly<Record<string, string | number>>,
): Promise<string> {
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o755);
  const settings = {
    daemon: 'no',
    'config-dir': folder,
    'socket-dir': folder,
    'local-address': '127.0.0.1',
    'dont-query': '',
    'security-poll-suffix': '',
    'extended-resolution-errors': 'yes',
    threads: 1,
    ...more,
  };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  return onFreePort((port) =>
    started(t, RECURSOR, [...args, `--local-port=${port}`], folder, port),
  );
}

/** Starts a resolver on a port that is free; on another one where somebody takes that meanwhile, or has its TCP half. */
async function onFreePort(start: (port: number) => Promise<string>): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (tries === 5 || !/address already in use/i.test(String(error))) throw error;
    }
  }
}

async function started(t: Ending, path: string, args: string[], folder: string, port: number) {
  const program = startProgram(t, path, args, folder);
  const closed = once(program.child, 'close');
  const resolver = new Resolver({ timeout: 300, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  const deadline = Date.now() + START_MS;
  for (;;) {
    const code = await resolver.resolve4('localhost').then(
      () => 'found',
      (error) => error.code as string,
    );
    if (!['ECONNREFUSED', 'ETIMEOUT'].includes(code)) return `127.0.0.1:${port}`;
    if (Date.now() > deadline || program.child.exitCode !== null) {
      // Only then all that it said is there.
      program.child.kill('SIGKILL');
      await closed;
      throw new Error(`${path} did not start: ${program.output.stdout}${program.output.stderr}`);
    }
    await sleep(50);
  }
}

/** A port that is free for TCP and UDP, and that the system gives to nobody by itself. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = await anyPort([]);
    const socket = createSocket('udp4');
    try {
      const bound = once(socket, 'listening');
      socket.bind(port, '127.0.0.1');
      await bound;
      return port;
    } catch {
      // Somebody has its UDP half.
    } finally {
      socket.close();
    }
  }
}
