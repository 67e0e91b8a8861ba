import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isRunning, type Running } from '@petstore/service/part.ts';
import { banner } from './banner.ts';
import { IDENTITY } from './certificate-authority/authority.ts';
import { createDesk } from './desk.ts';
import { keepZones, readZones } from './kept-zones.ts';
import { startLabAuthority } from './lab-authority.ts';
import { PROJECT, startLabDashboard } from './lab-dashboard.ts';
import { startLabDns } from './lab-dns.ts';
import type { LabFacts } from './page.ts';
import { servePage } from './page-server.ts';
import { findPorts } from './ports.ts';
import { type Stopping, stopOnSignals } from './stopping.ts';

/** Names that browsers take for this machine without being told, so that a site there opens in one. */
const EXAMPLE = 'example.localhost';
const PLATFORM = 'docs.localhost';

/** The zones at the start: the platform's, and two to add domains of. */
const ZONES = {
  [PLATFORM]: [
    { name: PLATFORM, type: 'A', value: '127.0.0.1' },
    { name: `*.${PLATFORM}`, type: 'A', value: '127.0.0.1' },
  ],
  [EXAMPLE]: [],
  'example.test': [],
} as const;

interface Options {
  /** Where the data is kept; undefined: in a folder that goes with the lab. */
  readonly data?: string;
  readonly freePorts?: boolean;
}

/** Starts the lab and shows its banner. It runs until a signal, or until its dashboard ends. */
export async function runLab({ data, freePorts = false }: Options): Promise<void> {
  const stopping = stopOnSignals();
  if (process.stderr.isTTY) process.stderr.write('Starting; that takes some ten seconds.\n');
  try {
    await startParts(data, freePorts, stopping);
  } catch (error) {
    const isNews = !stopping.isUnderWay;
    await stopping.stop();
    // What was under way fails when the lab is stopped.
    if (isNews) throw error;
  }
}

async function startParts(
  data: string | undefined,
  freePorts: boolean,
  stopping: Stopping,
): Promise<void> {
  const folder = data === undefined ? await mkdtemp(join(tmpdir(), 'lab-')) : resolve(data);
  if (data === undefined) await stopping.add(() => rm(folder, { recursive: true, force: true }));
  else await mkdir(folder, { recursive: true });
  const ports = await findPorts(freePorts);
  const dns = await startLabDns((await readZones(folder)) ?? ZONES, ports.dns);
  await stopping.add(dns.close);
  await stopping.add(() => keepZones(folder, dns));
  const authority = await startLabAuthority(folder, {
    nameServer: dns.authorityServer,
    httpPort: ports.http,
    tlsPort: ports.https,
  });
  await stopping.add(authority.close);
  const settings = {
    DASHBOARD_PORT: String(ports.dashboard),
    DASHBOARD_PLATFORM_HOST: PLATFORM,
    EDGE_HTTP_PORT: String(ports.http),
    EDGE_HTTPS_PORT: String(ports.https),
    DNS_SERVERS: dns.server,
    DNS_AUTHORITATIVE_PORT: String(dns.port),
    DNS_PRIVATE_SERVERS: 'allow',
    ACME_DIRECTORY_URL: authority.directoryUrl,
    ACME_CA_FILE: authority.caFile,
    ACME_CAA_IDENTITIES: IDENTITY,
    // Receivers of webhooks to try are on this machine, too.
    DASHBOARD_WEBHOOK_PRIVATE_ADDRESSES: 'allow',
  };
  const dashboard = await startLabDashboard(folder, settings, async (part) => {
    // The lab is nothing without it.
    part.child.once('exit', () => {
      if (!stopping.isUnderWay) process.exitCode = 1;
      stopping.stop();
    });
    await stopping.add(() => ended(part));
  });
  const facts: LabFacts = {
    dashboard: dashboard.url,
    project: PROJECT,
    email: dashboard.owner.email,
    password: dashboard.owner.password,
    authority: authority.name,
    rootFile: authority.rootFile,
    example: EXAMPLE,
  };
  const desk = createDesk({ dns, authority, call: dashboard.call });
  const served = await servePage(ports.page, desk, facts);
  await stopping.add(served.close);
  const page = `http://127.0.0.1:${ports.page}`;
  const { site } = dashboard;
  process.stdout.write(banner({ facts, page, site, httpsPort: ports.https, hint: authority.hint }));
}

async function ended(part: Running): Promise<void> {
  if (!isRunning(part)) return;
  const exit = new Promise((done) => part.child.once('exit', done));
  part.child.kill('SIGTERM');
  await exit;
}
