import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { createSecureContext, createServer as createTlsServer } from 'node:tls';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { challengeCertificate } from '../../../server/src/edge/tls/challenge-certificate.ts';
import type { Db } from '../../../server/src/store/schema.ts';

/** What answers challenges out of the store, as edges do. */
export interface ChallengeHost {
  readonly httpPort: number;
  readonly tlsPort: number;
  /** Hosts that an authority looked at, with the port's scheme. */
  readonly looked: string[];
}

export async function startChallengeHost(t: TestContext, db: () => Db): Promise<ChallengeHost> {
  const looked: string[] = [];
  const http = createServer(async (request, response) => {
    const host = request.headers.host?.split(':')[0] ?? '';
    looked.push(`http ${host}`);
    const row = await db()
      .selectFrom('acme_challenges')
      .select('key_authorization')
      .where('hostname', '=', host)
      .where('type', '=', 'http-01')
      .where('token', '=', request.url?.split('/').at(-1) ?? '')
      .executeTakeFirst();
    response.writeHead(row ? 200 : 404).end(row?.key_authorization ?? 'nothing here');
  });
  const tls = createTlsServer({
    ALPNProtocols: ['acme-tls/1'],
    SNICallback(host, done) {
      looked.push(`tls ${host}`);
      alpnContext(db(), host).then(
        (context) => done(null, context),
        (error) => done(error),
      );
    },
  });
  tls.on('secureConnection', (socket) => socket.on('error', () => {}).end());
  tls.on('tlsClientError', () => {});
  for (const server of [http, tls]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanUp(t, () => server.close());
  }
  const [httpPort, tlsPort] = [http, tls].map((server) => (server.address() as AddressInfo).port);
  return { httpPort: httpPort ?? 0, tlsPort: tlsPort ?? 0, looked };
}

async function alpnContext(db: Db, host: string) {
  const row = await db
    .selectFrom('acme_challenges')
    .select('key_authorization')
    .where('hostname', '=', host)
    .where('type', '=', 'tls-alpn-01')
    .executeTakeFirst();
  if (!row) throw new Error(`no challenge for ${host}`);
  return createSecureContext(await challengeCertificate(host, row.key_authorization));
}
