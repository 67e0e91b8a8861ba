import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isRunning, type Running } from '@petstore/service/part.ts';
import { banner } from './banner.ts';
import { IDENTITY } from './certificate-authority/authority.ts';
import { startLabAuthority } from './lab-authority.ts';
import { createLabControl } from './lab-control.ts';
import { PROJECT, startLabDashboard } from './lab-dashboard.ts';
import { readZones, saveZones, startLabDns } from './lab-dns.ts';
import type { LabFacts } from './page.ts';
import { servePage } from './page-server.ts';
import { findPorts } from './ports.ts';
import { type Shutdown, stopOnSignals } from './shutdown.ts';

/** Browsers resolve names below `localhost` to this machine, so that they can open the sites. */
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
  /** The folder of the data; undefined: a temporary one. */
  readonly data?: string;
  readonly freePorts?: boolean;
}

/** Starts the lab and shows its banner. It runs until a signal, or until its dashboard ends. */
export async function runLab({ data, freePorts = false }: Options): Promise<void> {
  const shutdown = stopOnSignals();
  if (process.stderr.isTTY) process.stderr.write('Starting; that takes some ten seconds.\n');
  try {
    await startParts(data, freePorts, shutdown);
  } catch (error) {
    const isNews = !shutdown.isUnderWay;
    await shutdown.stop();
    // A shutdown makes parts that are starting fail. That need not be reported.
    if (isNews) throw error;
  }
}

async function startParts(
  data: string | undefined,
  freePorts: boolean,
  shutdown: Shutdown,
): Promise<void> {
  const folder = data === undefined ? await mkdtemp(join(tmpdir(), 'lab-')) : resolve(data);
  if (data === undefined) await shutdown.add(() => rm(folder, { recursive: true, force: true }));
  else await mkdir(folder, { recursive: true });
  const ports = await findPorts(freePorts);
  const dns = await startLabDns((await readZones(folder)) ?? ZONES, ports.dns);
  await shutdown.add(dns.close);
  await shutdown.add(() => saveZones(folder, dns));
  const authority = await startLabAuthority(folder, {
    nameServer: dns.authorityServer,
    httpPort: ports.http,
    tlsPort: ports.https,
  });
  await shutdown.add(authority.close);
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
    // Receivers of test webhooks are on this machine, too.
    DASHBOARD_WEBHOOK_PRIVATE_ADDRESSES: 'allow',
  };
  const dashboard = await startLabDashboard(folder, settings, async (part) => {
    // The lab ends with its dashboard.
    part.child.once('exit', () => {
      if (!shutdown.isUnderWay) process.exitCode = 1;
      shutdown.stop();
    });
    await shutdown.add(() => stopPart(part));
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
  const control = createLabControl({ dns, authority, call: dashboard.call });
  const served = await servePage(ports.page, control, facts);
  await shutdown.add(served.close);
  const page = `http://127.0.0.1:${ports.page}`;
  const { site } = dashboard;
  process.stdout.write(banner({ facts, page, site, httpsPort: ports.https, hint: authority.hint }));
}

async function stopPart(part: Running): Promise<void> {
  if (!isRunning(part)) return;
  const exit = new Promise((done) => part.child.once('exit', done));
  part.child.kill('SIGTERM');
  await exit;
}
