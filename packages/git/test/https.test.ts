import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { gitHttpsHost } from '@petstore/test-support/git-hosts/https-host.ts';
import { WITHOUT_GIT } from '@petstore/test-support/git-hosts/requirements.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { fetchBranch } from '../src/fetch-branch.ts';
import { listBranches } from '../src/list-branches.ts';
import type { Credentials } from '../src/repository.ts';
import { failsWith, LIMITS, NEVER, settingsOf, visit } from './support/visit.ts';

const TOKEN = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

const token = (text: string, username: string | null = null): Credentials => ({
  kind: 'token',
  username,
  token: text,
});

test('a private repository is read with its token, until that is revoked', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { host, source, repository, settings } = await visit(t);
  source.commit({ a: '1' });
  host.credentials = `x-access-token:${TOKEN}`;
  const ask = (credentials: Credentials | null) =>
    listBranches({ ...repository, credentials }, settings, NEVER);
  assert.equal((await ask(token(TOKEN))).branches.size, 1);
  host.credentials = `ada:${TOKEN}`;
  assert.equal((await ask(token(TOKEN, 'ada'))).branches.size, 1);
  const { directory } = await fetchBranch(
    { ...repository, credentials: token(TOKEN, 'ada') },
    'main',
    LIMITS,
    await settingsOf(t, { caFile: host.caFile }),
    NEVER,
  );
  assert.equal(await readFile(join(directory, 'a'), 'utf8'), '1');
  host.credentials = 'ada:another';
  const error = await failsWith(
    'authentication_failed',
    /^localhost refuses the token: it was revoked, has expired/,
    ask(token(TOKEN, 'ada')),
    settings,
  );
  assert.doesNotMatch(JSON.stringify(error), new RegExp(TOKEN));
  await failsWith(
    'authentication_failed',
    /has no such repository that anyone may read\..*enter a token/,
    ask(null),
    settings,
  );
});

test('a host that forbids, that knows no such repository, or that has trouble is told apart', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { host, repository, settings } = await visit(t);
  const ask = (path = 'ada/pets.git') =>
    listBranches({ ...repository, url: `${host.origin}/${path}` }, settings, NEVER);
  await failsWith(
    'not_found',
    /localhost has no repository ada\/dogs\.git\. Check the address/,
    ask('ada/dogs.git'),
    settings,
  );
  const answers = [
    [403, 'authentication_failed'],
    [404, 'not_found'],
    [410, 'not_found'],
    [429, 'unreachable'],
    [500, 'unreachable'],
    [503, 'unreachable'],
  ] as const;
  for (const [status, code] of answers) {
    host.answer = (_request, response) => {
      response.writeHead(status).end('no');
      return true;
    };
    await failsWith(code, /localhost/, ask(), settings);
  }
  host.answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
    return true;
  };
  await failsWith('not_found', /a web page at this address, and no repository/, ask(), settings);
  host.answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    response.end('001e# service=git-upload-pack\n0000\xff\xff\xff\xff');
    return true;
  };
  await failsWith('bad_repository', /did not send a repository that git can read/, ask(), settings);
});

test('a redirect on the same host is followed, as that of a renamed repository', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { host, source, repository, settings } = await visit(t);
  source.commit({ a: '1' });
  host.answer = ({ url = '' }, response) => {
    if (!url.startsWith('/old/')) return false;
    response.writeHead(301, { location: `${host.origin}${url.replace('/old/', '/ada/')}` }).end();
    return true;
  };
  const moved = { ...repository, url: `${host.origin}/old/pets.git` };
  assert.equal((await listBranches(moved, settings, NEVER)).branches.size, 1);
  const { release } = await fetchBranch(moved, 'main', LIMITS, settings, NEVER);
  await release();
});

test('a redirect to another host, inwards or to http leads nowhere', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { host, source, repository, settings } = await visit(t);
  source.commit({ a: '1' });
  const other = await gitHttpsHost(t, await temporaryFolder(t));
  let reached = 0;
  const inside = createServer((_request, response) => {
    reached += 1;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(inside, 'listening');
  cleanUp(t, () => inside.close());
  const { port } = inside.address() as AddressInfo;
  let location = '';
  host.answer = ({ url = '' }, response) => {
    response.writeHead(302, { location: `${location}${url}` }).end();
    return true;
  };
  const ask = () => listBranches({ ...repository, credentials: token(TOKEN) }, settings, NEVER);
  const followed = async (to: string, message: RegExp) => {
    location = to;
    await failsWith('redirected', message, ask(), settings);
  };
  const moved = (to: string) =>
    new RegExp(
      `^localhost redirects ada/pets.git to ${to}/ada/pets.git, which is not followed\\. .* change the address to ${to}/ada/pets.git, if`,
    );
  for (const to of [other.origin, `https://127.0.0.1:${port}`, 'https://169.254.169.254'])
    await followed(to, moved(to));
  const elsewhere = ['file:///etc', 'ftp://127.0.0.1', 'ssh://127.0.0.1', 'ext::sh -c "touch x"'];
  for (const to of [`http://127.0.0.1:${port}`, ...elsewhere])
    await followed(to, /to another place, which is not followed\. Look the repository up/);
  await followed(host.origin, /which is not followed/);
  assert.equal(reached, 0);
  assert.deepEqual(other.requests, []);
});

test('a private address is not connected to, whatever the name that leads there', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { host, settings } = await visit(t);
  const closed = { ...settings, allowPrivateAddresses: false };
  const { port } = new URL(host.origin);
  const places = [
    'localhost',
    '127.0.0.1',
    '[::1]',
    '169.254.169.254',
    '10.0.0.1',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    '[fd00::1]',
    'a.localhost',
  ];
  for (const place of places) {
    const ask = (url: string) =>
      listBranches({ url, credentials: null, hostKeys: [] }, closed, NEVER);
    const message = /is not an address of the internet/;
    await failsWith('private_address', message, ask(`https://${place}:${port}/x`), settings);
    await failsWith('private_address', message, ask(`ssh://git@${place}:${port}/x`), settings);
  }
  assert.deepEqual(host.requests, []);
});

test('a certificate that is not trusted is said so', { skip: WITHOUT_GIT }, async (t) => {
  const { host, repository, settings } = await visit(t);
  const ask = (caFile: string | null, url = repository.url) =>
    listBranches({ ...repository, url }, { ...settings, caFile }, NEVER);
  await failsWith('certificate', /certificate of localhost is not trusted/, ask(null), settings);
  const stranger = await gitHttpsHost(t, await temporaryFolder(t));
  await failsWith(
    'certificate',
    /certificate of localhost is not trusted/,
    ask(stranger.caFile),
    settings,
  );
  const byAddress = repository.url.replace('localhost', '127.0.0.1');
  await failsWith(
    'certificate',
    /certificate of 127\.0\.0\.1 is not trusted/,
    ask(host.caFile, byAddress),
    settings,
  );
  await failsWith(
    'certificate',
    /authorities to trust cannot be read/,
    ask('/nowhere.pem'),
    settings,
  );
});

test('a host that is not there, or has no such name, is unreachable', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const settings = await settingsOf(t);
  const ask = (url: string) =>
    listBranches({ url, credentials: null, hostKeys: [] }, settings, NEVER);
  await failsWith(
    'unreachable',
    /Nothing listens at port 1 of localhost/,
    ask('https://localhost:1/x'),
    settings,
  );
  await failsWith(
    'unreachable',
    /Nothing listens at port 1 of localhost/,
    ask('ssh://git@localhost:1/x'),
    settings,
  );
});

test('a name is looked up at the name servers that are set, and checked where it leads', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { host, source, repository, settings } = await visit(t);
  source.commit({ a: '1' });
  const dns = await startNameServer({
    zones: { example: [{ name: 'git.example', type: 'A', value: '127.0.0.1' }] },
  });
  cleanUp(t, () => dns.close());
  const { port } = new URL(host.origin);
  const ask = (name: string, allowPrivateAddresses: boolean) =>
    listBranches(
      { ...repository, url: `https://${name}:${port}/ada/pets.git` },
      { ...settings, allowPrivateAddresses, dnsServers: [dns.server] },
      NEVER,
    );
  assert.equal((await ask('git.example', true)).branches.size, 1);
  const message = /^git\.example leads to 127\.0\.0\.1, which is not an address of the internet\./;
  await failsWith('private_address', message, ask('git.example', false), settings);
  await failsWith(
    'unreachable',
    /name none\.example has no address/,
    ask('none.example', true),
    settings,
  );
  assert.equal(host.requests.length, 2, 'of the first alone');
});
