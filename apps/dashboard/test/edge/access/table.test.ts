import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeUntil } from '@petstore/test-support/within.ts';
import { deployFiles } from '../../support/guides.ts';
import { createProject, idOf, joinAs, makeToken, setPlan } from '../../support/project.ts';
import { type Service, startService, type Visitor } from '../../support/service.ts';
import {
  type Answer,
  type AskAt,
  type Asking,
  addKey,
  askAt,
  changeAccess,
  makeSigner,
  sendPassword,
  sessionOf,
  setPassword,
  signInWithAccount,
} from './support/private-site.ts';

const LIVE = 'pets.docs.localhost';
const CUSTOM = 'docs.example.test';
const VERSION = 'v1.pets.example.test';
const BELOW_WILDCARD = 'v9.pets.example.test';
const OTHER = 'others.docs.localhost';
const PASSWORD = 'a shared password';

const FILES = {
  'docs.yaml': [
    'title: Pets',
    'openapi: openapi.json',
    "theme: { color: '#7c3aed' }",
    'redirects: { /old: /guides/start }',
  ].join('\n'),
  'index.md': '# Pets\n\n![Logo](logo.svg)\n',
  'guides/start.md': '# Start\n\nSecret words.\n',
  'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>',
  'openapi.json': JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: 'https://api.example.test' }],
    paths: {
      '/pets': { get: { operationId: 'listPets', responses: { 200: { description: '' } } } },
    },
  }),
};

/** What a private site has: how it is asked for, and what a reader gets. */
const RESOURCES: Record<string, Asking & { readonly path: string; readonly status: number }> = {
  'the start page': { path: '/', status: 200 },
  'a guide': { path: '/guides/start', status: 200 },
  'a guide, asked as browsers do': {
    ...{ path: '/guides/start', status: 200, headers: { accept: 'text/html,*/*;q=0.8' } },
  },
  'a guide as Markdown': { path: '/guides/start.md', status: 200 },
  'a guide with Accept: text/markdown': {
    ...{ path: '/guides/start', status: 200, headers: { accept: 'text/markdown' } },
  },
  'a part of a guide': {
    ...{ path: '/guides/start', status: 206, headers: { range: 'bytes=0-9' } },
  },
  'a guide if it has changed': {
    ...{ path: '/guides/start', status: 200, headers: { 'if-none-match': '*' } },
  },
  'a guide if it is there': {
    ...{ path: '/guides/start', status: 200, headers: { 'if-match': '"x"' } },
  },
  'the head of a guide': { path: '/guides/start', status: 200, method: 'HEAD' },
  'the methods of a guide': { path: '/guides/start', status: 204, method: 'OPTIONS' },
  'a form for a guide': { path: '/guides/start', status: 405, method: 'POST', body: 'a=b' },
  'an operation': { path: '/reference/operations/listPets', status: 200 },
  'a picture': { path: '/logo.svg', status: 200 },
  'the style': { path: '', status: 200 },
  'the search index': { path: '/_site/search.json', status: 200 },
  'the navigation': { path: '/_site/navigation.json', status: 200 },
  'the document': { path: '/openapi.json', status: 200 },
  'the document in YAML': { path: '/openapi.yaml', status: 200 },
  'the list of pages': { path: '/sitemap.xml', status: 200 },
  'the rules for robots': { path: '/robots.txt', status: 200 },
  'the list for models': { path: '/llms.txt', status: 200 },
  'all pages for models': { path: '/llms-full.txt', status: 200 },
  'the catalog of APIs': { path: '/.well-known/api-catalog', status: 200 },
  'the icon': { path: '/favicon.svg', status: 200 },
  'a redirect': { path: '/old', status: 308 },
  'a path with a slash at its end': { path: '/guides/start/', status: 308 },
  'the start page of a version': { path: '/v1', status: 200 },
  'a guide of a version': { path: '/v1/guides/start', status: 200 },
  'a version with a slash at its end': { path: '/v1/', status: 308 },
  'the MCP server of a version': { path: '/v1/mcp', status: 405 },
  'a missing page': { path: '/nothing', status: 404 },
  'the page for missing ones': { path: '/404.html', status: 404 },
  'a path below that of signing in': { path: '/_access/nothing', status: 404 },
  'the MCP server': {
    ...{ path: '/mcp', status: 200, method: 'POST' },
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: {
        ...{ protocolVersion: '2025-06-18', capabilities: {} },
        clientInfo: { name: 'test', version: '1' },
      },
    }),
  },
  'what a page tells of its readers': {
    ...{ path: '/_site/readers', status: 204, method: 'POST' },
    headers: { 'sec-fetch-site': 'same-origin' },
    body: 'event=search&query=pets&found=all',
  },
  'an answer to whether a page was helpful': {
    ...{ path: '/_site/feedback', status: 204, method: 'POST' },
    headers: { 'sec-fetch-site': 'same-origin' },
    body: 'page=/guides/start&helpful=yes',
  },
  'the request proxy, whether there is one': { path: '/_site/proxy', status: 204 },
  // Its own refusal, of what no page of the site sent.
  'the request proxy': { path: '/_site/proxy', status: 403, method: 'POST', body: '{}' },
};

/** Of other hosts: enough to see that they have the same gate. */
const FEW = ['a guide', 'a guide as Markdown', 'the document', 'a missing page', 'a redirect'];

type Headers = Record<string, string>;

/** Whether each visitor may read, and with what they come, made anew for each host. */
interface Kind {
  readonly may: boolean;
  /** Of the refusal; 401 where it is absent. */
  readonly status?: 403;
  readonly come: (host: string) => Promise<Headers>;
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const cookieOf = (session: string | number | undefined): Headers =>
  typeof session === 'string' ? { cookie: session } : {};

interface World {
  readonly service: Service;
  readonly ask: AskAt;
  readonly people: Record<'root' | 'owner' | 'viewer' | 'grouped' | 'stranger' | 'gone', Visitor>;
  readonly ids: { readonly gone: string; readonly grouped: string };
}

/** Every kind of visitor. `origin`: that of a host of the site. */
async function kindsOf({ service, ask, people, ids }: World): Promise<Record<string, Kind>> {
  const origin = (host: string) => `http://${host}:${service.edgePort}`;
  const [good, other] = [makeSigner('portal'), makeSigner('portal')];
  const elliptic = makeSigner('elliptic', 'ES256');
  const rsa = makeSigner('rsa', 'RS256');
  for (const signer of [good, elliptic, rsa]) await addKey(people.owner, 'pets', signer);
  const open = async (host: string, token: string) =>
    sessionOf(await ask(host, `/_access/link?token=${token}`));
  const program = { typ: 'at+jwt' };

  const none = await makeToken(people.viewer);
  await service.db
    .updateTable('api_tokens')
    .set({ scopes: '' })
    .where('id', '=', none.id)
    .execute();
  const revoked = await makeToken(people.owner);
  assert.equal(
    (await people.owner.call('DELETE', `/api/account/tokens/${revoked.id}`)).status,
    204,
  );
  const tokens = {
    read: (await makeToken(people.viewer, 'pets', ['read'])).token,
    ofRoot: (await makeToken(people.root)).token,
    stranger: (await makeToken(people.stranger)).token,
    elsewhere: (await makeToken(people.owner, 'others')).token,
    gone: (await makeToken(people.gone)).token,
    none: none.token,
    revoked: revoked.token,
  };
  // Signed in while all was well.
  const goneCookies = new Map<string, Headers>();
  for (const host of [LIVE, CUSTOM, VERSION]) {
    const session = await signInWithAccount(ask, host, people.gone);
    assert.equal(typeof session, 'string', host);
    goneCookies.set(host, cookieOf(session));
  }
  await service.db
    .updateTable('users')
    .set({ disabled_at: Date.now() })
    .where('id', '=', ids.gone)
    .execute();
  await timeUntil(
    async () => (await ask(LIVE, '/', { headers: goneCookies.get(LIVE) ?? {} })).status === 401,
  );

  return {
    nobody: { may: false, come: async () => ({}) },
    'someone with a wrong password': {
      may: false,
      come: async (host) => {
        const answer = await sendPassword(ask, host, 'another password');
        assert.equal(answer.status, 401);
        assert.equal(answer.headers['set-cookie'], undefined);
        return cookieOf(sessionOf(answer));
      },
    },
    'someone with the password': {
      may: true,
      come: async (host) => cookieOf(sessionOf(await sendPassword(ask, host, PASSWORD))),
    },
    'a member of the project': {
      may: true,
      come: async (host) => cookieOf(await signInWithAccount(ask, host, people.viewer)),
    },
    'a member of a group': {
      may: true,
      come: async (host) => cookieOf(await signInWithAccount(ask, host, people.grouped)),
    },
    'the owner of the installation': {
      may: true,
      come: async (host) => cookieOf(await signInWithAccount(ask, host, people.root)),
    },
    'a stranger with an account': {
      may: false,
      come: async (host) => {
        const session = await signInWithAccount(ask, host, people.stranger);
        assert.equal(session, 403);
        return {};
      },
    },
    'a disabled account': { may: false, come: async (host) => goneCookies.get(host) ?? {} },
    'someone by a link': {
      may: true,
      come: async (host) => cookieOf(await open(host, await good.sign({ aud: origin(host) }))),
    },
    'someone by a link for several hosts, signed with P-256': {
      may: true,
      come: async (host) =>
        cookieOf(await open(host, await elliptic.sign({ aud: ['https://x.test', origin(host)] }))),
    },
    'someone by a link signed with RSA': {
      may: true,
      come: async (host) => cookieOf(await open(host, await rsa.sign({ aud: origin(host) }))),
    },
    'someone by a link that has expired': {
      may: false,
      come: async (host) =>
        cookieOf(await open(host, await good.sign({ aud: origin(host), expiresIn: -60 }))),
    },
    'someone by a link that ends too late': {
      may: false,
      come: async (host) =>
        cookieOf(await open(host, await good.sign({ aud: origin(host), expiresIn: 8 * 86_400 }))),
    },
    'someone by a link of another site': {
      may: false,
      come: async (host) => cookieOf(await open(host, await good.sign({ aud: origin(OTHER) }))),
    },
    'someone by a link of another key': {
      may: false,
      come: async (host) => cookieOf(await open(host, await other.sign({ aud: origin(host) }))),
    },
    'a program by the token of a reader': { may: true, come: async () => bearer(tokens.read) },
    "a program by the token of the installation's owner": {
      may: true,
      come: async () => bearer(tokens.ofRoot),
    },
    'a program by a signed token': {
      may: true,
      come: async (host) => bearer(await good.sign({ aud: origin(host) }, program)),
    },
    'a program by a link in place of a token': {
      may: false,
      come: async (host) => bearer(await good.sign({ aud: origin(host) })),
    },
    'someone by a token in place of a link': {
      may: false,
      come: async (host) =>
        cookieOf(await open(host, await good.sign({ aud: origin(host) }, program))),
    },
    'a program by a token for another site': {
      may: false,
      come: async () => bearer(await good.sign({ aud: origin(OTHER) }, program)),
    },
    'a program by a token without the scope': {
      ...{ may: false, status: 403 },
      come: async () => bearer(tokens.none),
    },
    'a program by the token of a stranger': {
      ...{ may: false, status: 403 },
      come: async () => bearer(tokens.stranger),
    },
    'a program by a token for another project': {
      ...{ may: false, status: 403 },
      come: async () => bearer(tokens.elsewhere),
    },
    'a program by a revoked token': { may: false, come: async () => bearer(tokens.revoked) },
    'a program by the token of a disabled account': {
      may: false,
      come: async () => bearer(tokens.gone),
    },
    'a program with Basic': {
      may: false,
      come: async () => ({ authorization: `Basic ${btoa(`:${PASSWORD}`)}` }),
    },
    'a reader of another host of the same project': {
      may: false,
      come: async (host) => {
        const elsewhere = host === CUSTOM ? LIVE : CUSTOM;
        return cookieOf(sessionOf(await sendPassword(ask, elsewhere, PASSWORD)));
      },
    },
    'a reader of another site': {
      may: false,
      come: async () => cookieOf(sessionOf(await sendPassword(ask, OTHER, PASSWORD))),
    },
    'someone with two cookies of the name': {
      may: false,
      come: async (host) => {
        const session = sessionOf(await sendPassword(ask, host, PASSWORD));
        return { cookie: `site_access=${'A'.repeat(43)}; ${session}` };
      },
    },
  };
}

/** A path of the same length that no site has, in place of each; an MCP server where the site has none. */
function decoyOf(path: string): string {
  if (path.endsWith('/mcp')) return '/v9/mcp';
  return `/${path.slice(1).replace(/[a-z]/gi, 'q')}`;
}

/** All that an answer tells, with the path that was asked for as `PATH`. */
function told({ status, rawHeaders, body }: Answer, path: string): string {
  const headers = rawHeaders.map((text, at) => (rawHeaders[at - 1] === 'Date' ? '' : text));
  return JSON.stringify([status, headers, body.toString()])
    .replaceAll(encodeURIComponent(path), 'PATH')
    .replaceAll(path === '/' ? '\0' : path, 'PATH');
}

test('every page of a private site with every kind of visitor', async (t) => {
  const service = await startService(t, { requestProxy: 'allow', signUp: 'open' });
  const ask = askAt(t, service.edgePort);
  const root = await service.signUp('root@example.com');
  const owner = await service.signUp('owner@example.com');
  const people = {
    ...{ root, owner },
    grouped: await service.signUp('grouped@example.com'),
    stranger: await service.signUp('stranger@example.com'),
  };
  for (const slug of ['pets', 'others']) {
    await createProject(owner, slug);
    await setPlan(root, slug, 'enterprise');
  }
  const viewer = await joinAs(service, owner, 'pets', 'viewer@example.com', 'viewer');
  const gone = await joinAs(service, owner, 'pets', 'gone@example.com', 'editor');
  const ids = { gone: await idOf(gone), grouped: await idOf(people.grouped) };
  const first = await deployFiles(owner, 'pets', FILES);
  assert.equal(first.state, 'succeeded', JSON.stringify(first.errors));
  const branch = await deployFiles(owner, 'pets', FILES, '?branch=feature/x');
  await deployFiles(owner, 'pets', FILES, '?version=v1');
  const live = await deployFiles(owner, 'pets', { ...FILES, 'more.md': '# More' });
  await deployFiles(owner, 'others', FILES);
  await owner.call('PATCH', '/api/projects/pets', { requestProxy: true });
  await putDomains(service, 'pets');
  await putGroup(service, ids.grouped);

  for (const slug of ['pets', 'others']) {
    await setPassword(owner, slug, PASSWORD);
    await changeAccess(owner, slug, { private: 'everything' });
  }
  // Where anybody may sign up, the owner of a project chooses among their own groups; that of the installation, any.
  await changeAccess(root, 'pets', { groups: ['staff'] });

  const world = { service, ask, people: { ...people, viewer, gone }, ids };
  const kinds = await kindsOf(world);
  const asPassword = cookieOf(sessionOf(await sendPassword(ask, LIVE, PASSWORD)));
  const start = (await ask(LIVE, '/', { headers: asPassword })).body.toString();
  const style = /href="(\/_assets\/[^"]+\.css)"/.exec(start)?.[1] ?? assert.fail('no style');

  const hostOf = (url: string | null | undefined) => new URL(url ?? '').hostname;
  const hosts = {
    [LIVE]: Object.keys(RESOURCES),
    [hostOf(first.url)]: FEW,
    [hostOf(live.url)]: FEW,
    [hostOf(branch.branchUrl)]: FEW,
    [CUSTOM]: FEW,
    [VERSION]: FEW,
  };
  for (const [host, resources] of Object.entries(hosts)) {
    for (const [who, { may, status: refused = 401, come }] of Object.entries(kinds)) {
      const credentials = await come(host);
      await Promise.all(
        resources.map(async (what) => {
          const { path: named, status, headers = {}, ...asking } = RESOURCES[what] ?? assert.fail();
          const path = named || style;
          const row = `${host}: ${what}, ${who}`;
          const sent = { ...asking, headers: { ...headers, ...credentials } };
          const answer = await ask(host, path, sent);
          if (may) {
            assert.equal(answer.status, status, row);
            assertPrivate(answer, row);
            return;
          }
          assert.equal(answer.status, refused, row);
          assertRefusal(answer, row);
          const decoy = decoyOf(path);
          const missing = await ask(host, decoy, sent);
          assert.equal(told(answer, path), told(missing, decoy), `${row} is told of it`);
        }),
      );
    }
  }

  // A host that shows nothing asks for the same, and has nothing for readers.
  for (const host of [
    'pets--aaaaaaaaaaaa.docs.localhost',
    'pets--x-y.docs.localhost',
    BELOW_WILDCARD,
  ]) {
    for (const [who, { may, status = 401, come }] of Object.entries(kinds)) {
      const answer = await ask(host, '/guides/start', { headers: await come(host) });
      assert.equal(answer.status, may ? 404 : status, `${host}: ${who}`);
    }
    const shown = await ask(hostOf(first.url), '/guides/start');
    const missing = await ask(host, '/guides/start');
    const without = (answer: Answer, name: string) => told(answer, '/x').replaceAll(name, 'HOST');
    assert.equal(
      without(missing, host).replace(/"Content-Length","\d+"/, ''),
      without(shown, hostOf(first.url)).replace(/"Content-Length","\d+"/, ''),
      host,
    );
  }

  // Previews alone: what is live is public at once, and as a public site is.
  await changeAccess(owner, 'pets', { private: 'previews' });
  for (const host of [LIVE, CUSTOM, VERSION]) {
    const { status, headers } = await ask(host, '/guides/start');
    assert.equal(status, 200, host);
    assert.match(headers['cache-control'] ?? '', /^public/, host);
    assert.ok(headers.etag, host);
  }
  const previews = [first.url, live.url, branch.branchUrl].map(hostOf);
  for (const host of [...previews, 'pets--aaaaaaaaaaaa.docs.localhost', BELOW_WILDCARD]) {
    assert.equal((await ask(host, '/guides/start')).status, 401, host);
    const cookie = cookieOf(sessionOf(await sendPassword(ask, host, PASSWORD)));
    const { status } = await ask(host, '/guides/start', { headers: cookie });
    assert.equal(status, previews.includes(host) ? 200 : 404, host);
  }
});

/** Of a response for a reader: nobody keeps it but them. What OPTIONS gets is kept by no cache anyway. */
function assertPrivate({ status, headers }: Answer, row: string): void {
  assert.equal(headers['www-authenticate'], undefined, row);
  if (status !== 204) assert.match(headers['cache-control'] ?? '', /no-store/, row);
  assert.doesNotMatch(headers['cache-control'] ?? '', /public|immutable|max-age/, row);
  assert.equal(headers.etag, undefined, row);
  assert.equal(headers['access-control-allow-origin'], undefined, row);
}

function assertRefusal({ headers, body }: Answer, row: string): void {
  assert.equal(headers['cache-control'], 'private, no-store', row);
  assert.equal(headers.vary, 'Accept, Authorization, Cookie', row);
  assert.equal(headers.etag, undefined, row);
  assert.equal(headers['access-control-allow-origin'], undefined, row);
  assert.match(
    headers['www-authenticate'] ?? '',
    /^Bearer .*resource_metadata="http:\/\/[^"]+\/\.well-known\/oauth-protected-resource[^"]*"$/,
    row,
  );
  assert.doesNotMatch(body.toString(), /Secret words/, row);
}

/** A custom domain that is verified, and a wildcard, neither with a certificate. */
async function putDomains({ db }: Service, slug: string): Promise<void> {
  const { id } = await db
    .selectFrom('projects')
    .select('id')
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow();
  for (const hostname of [CUSTOM, '*.pets.example.test'])
    await db
      .insertInto('domains')
      .values({
        ...{ id: hostname, project_id: id, hostname, target_label: hostname, proof: '' },
        ...{ link_secret: hostname, verified_at: 1, holds: 1, created_at: 0 },
        ...{ created_by_email: '', removed_at: null, moved_away_at: null },
        ...{ hsts_max_age: null, hsts_include_subdomains: 0 },
      })
      .execute();
}

async function putGroup({ db }: Service, userId: string): Promise<void> {
  await db
    .insertInto('groups')
    .values({
      ...{ id: 'staff', name: 'Staff', name_key: 'staff', source: 'local' },
      ...{ external_id: null, created_at: 0, updated_at: 0 },
    })
    .execute();
  await db
    .insertInto('group_members')
    .values({ group_id: 'staff', user_id: userId, source: 'local', created_at: 0 })
    .execute();
}
