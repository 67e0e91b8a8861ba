import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { Destination } from '../src/gateway/destination.ts';
import { openHttpsProxy } from '../src/gateway/https-proxy.ts';
import type { GitError } from '../src/git-error.ts';
import { parseRepositoryUrl } from '../src/repository-url.ts';
import { settingsOf } from './support/visit.ts';

/** The proxy in front of a host that greets with `hello`, and then says so many bytes. */
async function openProxy(t: Ending, { sends = 0, maxBytes = 1_000 } = {}) {
  let reached = 0;
  const host = createServer((socket) => {
    reached += 1;
    socket.on('error', () => undefined);
    socket.write(`hello${'x'.repeat(sends)}`);
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  const { port } = host.address() as { port: number };
  const repository = parseRepositoryUrl(`https://localhost:${port}/x`);
  const failures: GitError[] = [];
  const destination = new Destination({
    repository,
    settings: await settingsOf(t),
    maxBytes,
    onFailure: (error) => failures.push(error),
  });
  const proxy = await openHttpsProxy(repository, destination);
  cleanUp(t, () => {
    proxy.close();
    destination.close();
    host.close();
  });
  const { username, password, port: at } = new URL(proxy.address);
  const ask = async (line: string, by = `${username}:${password}`) => {
    const socket = connect(Number(at), '127.0.0.1');
    cleanUp(t, () => socket.destroy());
    socket.on('error', () => undefined);
    const credentials = by === '' ? '' : `Proxy-Authorization: Basic ${btoa(by)}\r\n`;
    socket.write(`${line} HTTP/1.1\r\nHost: x\r\n${credentials}\r\n`);
    let text = '';
    for await (const chunk of socket) {
      text += chunk;
      if (text.includes('hello')) break;
    }
    return text;
  };
  return { port, ask, failures, reached: () => reached };
}

test('the gateway connects to the one host, for who has its password', async (t) => {
  const { port, ask, failures, reached } = await openProxy(t);
  assert.match(await ask(`CONNECT localhost:${port}`), /^HTTP\/1\.1 200 .*hello$/s);
  assert.equal(reached(), 1);
  assert.match(await ask(`CONNECT localhost:${port}`, ''), /^HTTP\/1\.1 407 /);
  assert.match(await ask(`CONNECT localhost:${port}`, 'git:guess'), /^HTTP\/1\.1 407 /);
  assert.match(await ask(`GET http://localhost:${port}/`), /^HTTP\/1\.1 403 /);
  assert.deepEqual(failures, [], 'a stranger does no harm');
  assert.match(await ask('CONNECT 169.254.169.254:80'), /^HTTP\/1\.1 403 /);
  assert.deepEqual(
    failures.map(({ code }) => code),
    ['redirected'],
  );
  assert.equal(reached(), 1);
  assert.match(
    await ask(`CONNECT localhost:${port}`),
    /^HTTP\/1\.1 502 /,
    'nothing passes any more',
  );
});

test('the gateway counts what comes, and ends at the bound', async (t) => {
  const { port, ask, failures } = await openProxy(t, { sends: 5_000_000, maxBytes: 10_000 });
  await ask(`CONNECT localhost:${port}`);
  await timeUntil(async () => failures.length > 0);
  assert.deepEqual(
    failures.map(({ code }) => code),
    ['too_large'],
  );
});
