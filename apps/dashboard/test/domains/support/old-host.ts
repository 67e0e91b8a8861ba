import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LabAuthority } from '@petstore/lab/certificate-authority/certificate-authority.ts';
import type { Ending } from '@petstore/test-support/clean-up.ts';
import { startProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import {
  type AcmeClient,
  connectAcmeClient,
  type Order,
} from '../../../server/src/certificates/acme-client.ts';
import { acmeAgent, acmeTransport } from '../../../server/src/certificates/acme-transport.ts';
import { makePrivateKey } from '../../../server/src/certificates/sealing.ts';

// The host that serves a site before it moves to the dashboard, and after it has moved away: nginx, with a certificate
// that it has obtained itself.

const NGINX = '/usr/sbin/nginx';

/** Why tests with nginx cannot be run here; false: they can, or have to. */
export const WITHOUT_NGINX =
  !existsSync(NGINX) && process.env.CI_REQUIRES_ALL !== '1'
    ? 'nginx is not installed: apt-get install nginx-light'
    : false;

interface OldHostOptions {
  readonly hostname: string;
  readonly address: string;
  /** Where the authority validates, and where the site is. */
  readonly httpPort: number;
  readonly tlsPort: number;
  readonly authority: LabAuthority;
}

export interface OldHost {
  /** Starts nginx, and waits until it listens. Returns what stops it. */
  start(): Promise<() => Promise<void>>;
}

/** Obtains the certificate by HTTP-01: the name has to lead to `address`. Its page is `The old host`. */
export async function prepareOldHost(t: Ending, options: OldHostOptions): Promise<OldHost> {
  const { hostname, address, httpPort, tlsPort } = options;
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'site'));
  const { chain, key } = await obtainCertificate(options);
  await writeFile(join(folder, 'chain.pem'), chain);
  await writeFile(join(folder, 'key.pem'), key, { mode: 0o600 });
  await writeFile(join(folder, 'site/index.html'), 'The old host');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx.pid;
error_log stderr error;
events {}
http {
  access_log off;
  ${temporary.join('\n  ')}
  server {
    listen ${address}:${httpPort};
    listen ${address}:${tlsPort} ssl;
    server_name ${hostname};
    ssl_certificate ${folder}/chain.pem;
    ssl_certificate_key ${folder}/key.pem;
    root ${folder}/site;
  }
}
`,
  );
  return {
    async start() {
      const args = ['-p', folder, '-e', 'stderr', '-c', file];
      const { child, output } = startProgram(t, NGINX, args, folder);
      while (!(await isListening(address, tlsPort))) {
        if (child.exitCode !== null) throw new Error(`nginx did not start: ${output.stderr}`);
        await sleep(20);
      }
      return async () => {
        child.kill('SIGQUIT');
        await once(child, 'exit');
      };
    },
  };
}

/** A certificate of the authority, as the old host obtains one. */
async function obtainCertificate({ hostname, address, httpPort, authority }: OldHostOptions) {
  const answers = new Map<string, string>();
  const server = createServer((request, response) => {
    response.end(answers.get(request.url ?? ''));
  }).listen(httpPort, address);
  await once(server, 'listening');
  const agent = acmeAgent(authority.caFile);
  const client = await connectAcmeClient(
    authority.directoryUrl,
    { key: await makePrivateKey(), url: undefined, external: undefined },
    acmeTransport(agent, AbortSignal.timeout(60_000)),
  );
  await client.createAccount(undefined);
  const key = await makePrivateKey();
  const placed = await client.newOrder(hostname, {});
  for (const { challenges } of await client.authorizationsOf(placed)) {
    const challenge = challenges.find(({ type }) => type === 'http-01');
    assert.ok(challenge);
    const { token } = challenge;
    answers.set(`/.well-known/acme-challenge/${token}`, client.keyAuthorization(challenge));
    await client.respondToChallenge(challenge);
  }
  await reach(client, placed, 'ready');
  await client.finalize(placed, hostname, key);
  const chain = await client.download(await reach(client, placed, 'valid'));
  agent.destroy();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  return { chain, key };
}

/** The order once it has a status. */
async function reach(client: AcmeClient, { url }: Order, status: Order['status']): Promise<Order> {
  for (let looks = 0; looks < 300; looks += 1) {
    const order = await client.getOrder(url);
    if (order.status === status) return order;
    assert.notEqual(order.status, 'invalid');
    await sleep(100);
  }
  throw new Error(`${url} did not become ${status}`);
}

async function isListening(address: string, port: number): Promise<boolean> {
  const socket = connect(port, address);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
