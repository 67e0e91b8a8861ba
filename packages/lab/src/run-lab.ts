import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { isRunning, type Running } from '@petstore/service/part.ts';
import { type Shutdown, stopOnSignals } from '@petstore/service/shutdown.ts';
import { IDENTITY } from './certificate-authority/authority.ts';
import { startLabAuthority } from './lab-authority.ts';
import { createLabControl } from './lab-control.ts';
import { PROJECT, startLabDashboard } from './lab-dashboard.ts';
import { readZones, saveZones, startLabDns } from './lab-dns.ts';
import type { LabFacts } from './page.ts';
import { servePage } from './page-server.ts';
import { findPorts } from './ports.ts';

/** Browsers resolve names below `localhost` to this machine, so that they can open the sites. */
const EXAMPLE = 'example.localhost';
const PLATFORM = 'docs.localhost';

/** The zone of the dashboard, in which names are proven before they move. Linux has all of 127.0.0.0/8, macOS has not. */
const ZONE = `acme.${PLATFORM}`;
const ZONE_ADDRESS = '127.0.0.3';

/** The zones at the start: the platform's, and two to add domains of. */
const ZONES = {
  [PLATFORM]: [
    { name: PLATFORM, type: 'A', value: '127.0.0.1' },
    { name: `*.${PLATFORM}`, type: 'A', value: '127.0.0.1' },
    { name: `ns-${ZONE}`, type: 'A', value: ZONE_ADDRESS },
    { name: ZONE, type: 'NS', value: `ns-${ZONE}` },
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
  dns.forward(ZONE, `${ZONE_ADDRESS}:${dns.port}`);
  const settings = {
    DASHBOARD_PORT: String(ports.dashboard),
    DASHBOARD_PLATFORM_HOST: PLATFORM,
    EDGE_HTTP_PORT: String(ports.http),
    EDGE_HTTPS_PORT: String(ports.https),
    DNS_SERVERS: dns.server,
    DNS_AUTHORITATIVE_PORT: String(dns.port),
    DNS_PRIVATE_SERVERS: 'allow',
    ...(dns.hasSecond && { DNS_ZONE: ZONE, DNS_HOST: ZONE_ADDRESS, DNS_PORT: String(dns.port) }),
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

/** What the lab prints when it is up: its addresses, how to sign in, what to do first. */
function banner({
  facts,
  page,
  site,
  httpsPort,
  hint,
}: {
  readonly facts: LabFacts;
  readonly page: string;
  readonly site: string;
  readonly httpsPort: number;
  /** How to install pebble, where it is missing. */
  readonly hint: string | undefined;
}): string {
  const bold = (text: string) => styleText('bold', text);
  const dim = (text: string) => styleText('dim', text);
  const row = (label: string, text: string) => `  ${dim(label.padEnd(9))} ${text}`;
  const name = `docs.${facts.example}`;
  const at = `${name}:${httpsPort}`;
  const run =
    page === 'http://127.0.0.1:8090' ? 'npm run lab --' : `LAB_URL=${page} npm run lab --`;
  return `
${bold('The lab')} ${dim('(custom domains on this computer; nothing leaves it)')}

${row('Lab', `${page}  ${dim('the DNS, and every failure at a click')}`)}
${row('Dashboard', facts.dashboard)}
${row('Sign in', `${bold(facts.email)}  password ${bold(facts.password)}`)}
${row('Site', site)}
${row('Authority', facts.authority)}
${row('Its root', facts.rootFile)}
${hint === undefined ? '' : `${row('', dim(hint))}\n`}
  1. Add ${bold(name)}:  ${facts.dashboard}/projects/${facts.project}/settings/domains
  2. Make it fail:   ${bold(`${run} set ${name} conflict-a`)}  ${dim('then click Verify')}
  3. Make it right:  ${bold(`${run} set ${name} right`)}  ${dim('then click Verify')}
  4. Look:           ${bold(`curl --cacert ${facts.rootFile} --resolve ${at}:127.0.0.1 https://${at}/`)}
                     ${dim(`or https://${at} in a browser that trusts the root (Settings, Certificates, Authorities, Import)`)}

  ${dim(`All there is to try: ${run} scenarios. Stop with Ctrl-C.`)}

`;
}
