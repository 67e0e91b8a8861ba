import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
const START_MS = 10_000;

/**
 * NLnet Labs' Unbound. It mixes the case of letters in its questions and believes no response without them, asks for
 * the fewest labels, and takes what is below a name that does not exist as absent. `ip:port`.
 */
export async function startUnbound(t: Ending, zones: ZoneServers): Promise<string> {
  const folder = await temporaryFolder(t);
  const config = (port: number) => `
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
  module-config: "iterator"
  use-caps-for-id: yes
  qname-minimisation: yes

  harden-below-nxdomain: yes
  harden-referral-path: yes
  num-threads: 1
  so-rcvbuf: 0
${Object.keys(zones)
  .map((zone) => `  local-zone: "${zone}" transparent`)
  .join('\n')}
remote-control:
  control-enable: no
${Object.entries(zones)
  .map(
    ([zone, at]) =>
      `stub-zone:\n  name: "${zone}"\n  stub-addr: ${at.replace(':', '@')}\n  stub-no-cache: no`,
  )
  .join('\n')}
`;
  const file = join(folder, 'unbound.conf');
  return onFreePort(async (port) => {
    await writeFile(file, config(port));
    return started(t, UNBOUND, ['-d', '-c', file], folder, port);
  });
}

/** PowerDNS's recursor. `ip:port`. */
export async function startRecursor(t: Ending, zones: ZoneServers): Promise<string> {
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o755);
  const settings = {
    daemon: 'no',
    'config-dir': folder,
    'socket-dir': folder,
    'local-address': '127.0.0.1',
    'forward-zones': Object.entries(zones)
      .map(([zone, at]) => `${zone}=${at}`)
      .join(','),
    'dont-query': '',
    'security-poll-suffix': '',
    'hint-file': 'no',
    dnssec: 'off',
    threads: 1,
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
      return await start(await freeUdpPort());
    } catch (error) {
      if (tries === 5 || !/address already in use/i.test(String(error))) throw error;
    }
  }
}

async function started(t: Ending, path: string, args: string[], folder: string, port: number) {
  const program = startProgram(t, path, args, folder);
  const resolver = new Resolver({ timeout: 300, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  const deadline = Date.now() + START_MS;
  for (;;) {
    const code = await resolver.resolve4('localhost').then(
      () => 'found',
      (error) => error.code as string,
    );
    if (!['ECONNREFUSED', 'ETIMEOUT'].includes(code)) return `127.0.0.1:${port}`;
    if (Date.now() > deadline || program.child.exitCode !== null)
      throw new Error(`${path} did not start: ${program.output.stdout}${program.output.stderr}`);
    await sleep(50);
  }
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}
