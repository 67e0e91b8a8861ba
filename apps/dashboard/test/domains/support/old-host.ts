import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LabAuthority } from '@petstore/lab/certificate-authority/certificate-authority.ts';
import type { Ending } from '@petstore/test-support/clean-up.ts';
import { startProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import acme from 'acme-client';

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
  const agent = new Agent({ ca: await readFile(authority.caFile, 'utf8') });
  acme.axios.defaults.httpsAgent = agent;
  const client = new acme.Client({
    directoryUrl: authority.directoryUrl,
    accountKey: await acme.crypto.createPrivateEcdsaKey(),
  });
  const [key, csr] = await acme.crypto.createCsr(
    { altNames: [hostname] },
    await acme.crypto.createPrivateEcdsaKey(),
  );
  const chain = await client.auto({
    csr,
    termsOfServiceAgreed: true,
    skipChallengeVerification: true,
    challengePriority: ['http-01'],
    async challengeCreateFn(_, { token }, keyAuthorization) {
      answers.set(`/.well-known/acme-challenge/${token}`, keyAuthorization);
    },
    async challengeRemoveFn() {},
  });
  agent.destroy();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  return { chain, key: key.toString() };
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
