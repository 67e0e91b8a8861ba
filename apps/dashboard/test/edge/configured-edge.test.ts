import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyPort } from '@petstore/lab/ports.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { pino } from 'pino';
import { readConfig } from '../../server/src/config.ts';
import { startConfiguredEdge } from '../../server/src/configured-edge.ts';
import { startSecureEdge } from './support/secure-edge.ts';

test('where a port is taken, the variable to change is named, and the other port is left', async (t) => {
  const { port, httpsPort, source } = await startSecureEdge(t);
  const log = pino({ level: 'silent' });
  const start = async (http: number, https: number) => {
    const env = { EDGE_HTTP_PORT: String(http), EDGE_HTTPS_PORT: String(https) };
    const edge = await startConfiguredEdge(readConfig(env), { source, log });
    await edge.close();
    return edge;
  };
  const any = await start(0, 0);
  assert.notEqual(any.port, any.httpsPort);
  const named = (variable: string) => (error: unknown) =>
    error instanceof UserError && new RegExp(`set ${variable} to another port`).test(error.message);
  // A port that the system picked itself may be somebody else's the next time.
  const freeHttp = await anyPort([]);
  const freeHttps = await anyPort([freeHttp]);
  await assert.rejects(start(freeHttp, httpsPort), named('EDGE_HTTPS_PORT'));
  await assert.rejects(start(port, freeHttps), named('EDGE_HTTP_PORT'));
  await start(freeHttp, freeHttps);
});
