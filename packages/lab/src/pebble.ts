import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  LabAuthority,
  LabAuthorityOptions,
} from './certificate-authority/certificate-authority.ts';
import { createIssuing, loopbackCertificate } from './certificate-authority/issuing.ts';
import { anyPort } from './ports.ts';

/** How long pebble may take to start, in milliseconds; usually it takes 400. */
const START_MS = 20_000;

/** How to install it. */
export const PEBBLE_HINT =
  'pebble is not on the PATH: on Debian and Ubuntu, "apt-get install pebble" brings it.';

/** The path of Debian's `pebble`, or of any other on the PATH; undefined where there is none. */
export async function findPebble(): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'pebble');
    const isMissing = await access(path, constants.X_OK).catch(() => true);
    if (folder !== '' && !isMissing) return path;
  }
  return undefined;
}

/** Starts pebble, Let's Encrypt's small ACME server, on free ports. Rejects with its output where it does not start. */
export async function startPebble(
  path: string,
  { httpPort, tlsPort, nameServer, certificateLifetimeMs, externalAccounts }: LabAuthorityOptions,
): Promise<LabAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-pebble-'));
  const own = await createIssuing('Lab HTTPS', Date.now);
  const { chain, key } = await loopbackCertificate(own);
  const port = await anyPort([]);
  const managementPort = await anyPort([port]);
  const config = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: join(folder, 'cert.pem'),
    privateKey: join(folder, 'key.pem'),
    httpPort,
    tlsPort,
    ocspResponderURL: '',
    externalAccountBindingRequired: externalAccounts !== undefined,
    externalAccountMACKeys: externalAccounts ?? {},
    ...(certificateLifetimeMs && {
      certificateValidityPeriod: Math.round(certificateLifetimeMs / 1_000),
    }),
  };
  const caFile = join(folder, 'root.pem');
  await Promise.all([
    writeFile(config.certificate, chain),
    writeFile(config.privateKey, key, { mode: 0o600 }),
    writeFile(join(folder, 'config.json'), JSON.stringify({ pebble: config })),
    writeFile(caFile, own.rootPem),
  ]);
  const args = ['-config', join(folder, 'config.json'), '-dnsserver', nameServer, '-strict'];
  // No sleeps before validations; some nonces are refused; no authorization is reused.
  const settings = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '5', PEBBLE_AUTHZREUSE: '0' };
  const env = { ...process.env, ...settings };
  const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (words = (words + chunk).slice(-2_000)));
  }
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    await rm(folder, { recursive: true, force: true });
  };
  const agent = new Agent({ ca: own.rootPem });
  const deadline = Date.now() + START_MS;
  for (;;) {
    const rootPem = await textAt(`https://127.0.0.1:${managementPort}/roots/0`, agent);
    const isUp = await textAt(`https://127.0.0.1:${port}/dir`, agent);
    if (rootPem && isUp) {
      return { directoryUrl: `https://127.0.0.1:${port}/dir`, caFile, rootPem, close };
    }
    if (child.exitCode !== null || Date.now() > deadline) {
      await close();
      throw new Error(`pebble did not start: ${words}`);
    }
    await sleep(30);
  }
}

function textAt(url: string, agent: Agent): Promise<string | undefined> {
  return new Promise((resolve) => {
    get(url, { agent }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve(response.statusCode === 200 ? text : undefined));
    }).on('error', () => resolve(undefined));
  });
}
