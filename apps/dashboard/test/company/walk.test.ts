import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { Page } from '../../server/src/schema-types.ts';
import type { CreatedScimToken } from '../../server/src/scim/token.ts';
import { readyProject, startDomainService, verifiedDomain } from '../domains/support/domains.ts';
import { askAt, changeAccess, signInWithAccount } from '../edge/access/support/private-site.ts';
import { testBrowser } from '../oidc/support/test-browser.ts';
import { startTestProvider } from '../oidc/support/test-provider.ts';
import { makeGroup, patch, scimOf, USER } from '../scim/support/directory.ts';
import { startEdgeProgram } from '../support/dashboard-program.ts';
import { deploy, documentTitled, makeToken } from '../support/project.ts';
import { json, type Visitor } from '../support/service.ts';
import { UP_TO_DATE } from '../support/store.ts';

const HOST = 'docs.example.test';

test('a company: people sign in with its provider, a group edits, another reads on a domain of its own, and who leaves is out everywhere', async (t) => {
  const databaseUrl = await (await sharedServer()).copyDatabase(UP_TO_DATE);
  const provider = await startTestProvider(t);
  const service = await startDomainService(t, {
    databaseUrl,
    oidc: [provider.config({ emailDomains: ['acme.example'] })],
  });
  const { origin, root } = service;
  provider.register(origin);
  const otherEdge = await startEdgeProgram(t, databaseUrl);
  const [ask, askOther] = [askAt(t, service.edgePort), askAt(t, otherEdge.port)];
  await readyProject(root, 'pets');
  await verifiedDomain(service, root, 'pets', HOST);

  // The company's directory knows who works there, and in which groups.
  const made = await root.call('POST', '/api/installation/scim-tokens', { name: 'Acme' });
  const token = await json<CreatedScimToken>(made, 201);
  const scim = scimOf(token.url, token.token);
  const directory = { service, root, token, scim };
  const ids = new Map<string, string>();
  for (const name of ['ann', 'bob', 'cid']) {
    const email = `${name}@acme.example`;
    const user = { schemas: [USER], userName: email, displayName: name, active: true };
    ids.set(name, (await scim('POST', '/Users', user)).body.id);
    provider.people.set(name, { email, email_verified: true, name });
  }
  const idOf = (name: string) => ids.get(name) ?? '';
  const editors = await makeGroup(directory, 'Engineering', [idOf('ann')]);
  const readers = await makeGroup(directory, 'Partners', [idOf('bob')]);

  // What the groups may do is for owners to say.
  const role = await root.call('PUT', `/api/projects/pets/groups/${editors}`, { role: 'editor' });
  assert.equal(role.status, 200);
  await changeAccess(root, 'pets', { private: 'everything', groups: [readers] });

  /** Somebody who comes by the company's provider, and what their browser asks the dashboard. */
  const arrive = async (name: string): Promise<Visitor> => {
    const browser = testBrowser();
    provider.who = name;
    assert.equal(await browser.signIn(origin), '/');
    assert.equal(await browser.who(origin), `${name}@acme.example`);
    const cookie = [...browser.cookies(origin)].map((pair) => pair.join('=')).join('; ');
    const visitor = service.visitor();
    return {
      ...visitor,
      call: (method, path, body, headers) =>
        visitor.call(method, path, body, { ...headers, cookie }),
    };
  };
  const [ann, bob, cid] = [await arrive('ann'), await arrive('bob'), await arrive('cid')];

  // Ann is in the group that edits, and a program of hers deploys.
  await deploy(ann, 'pets', documentTitled('By Ann'));
  const { token: annsToken } = await makeToken(ann);
  // Bob reads, on the domain alone; Cid has an account, and nothing here.
  const statusOf = async (visitor: Visitor) =>
    (await visitor.call('GET', '/api/projects/pets')).status;
  assert.deepEqual(await Promise.all([ann, bob, cid].map(statusOf)), [200, 404, 404]);
  const sessions = new Map<string, string>();
  for (const [name, visitor] of [
    ['ann', ann],
    ['bob', bob],
  ] as const) {
    const session = await signInWithAccount(ask, HOST, visitor);
    assert.equal(typeof session, 'string', `${name}: ${session}`);
    sessions.set(name, `${session}`);
  }
  assert.equal(await signInWithAccount(ask, HOST, cid), 403);
  const reads = (name: string) =>
    Promise.all(
      [ask, askOther].map(
        async (at) =>
          (await at(HOST, '/', { headers: { cookie: sessions.get(name) ?? '' } })).status,
      ),
    );
  assert.deepEqual(await reads('ann'), [200, 200]);
  assert.deepEqual(await reads('bob'), [200, 200]);
  const byToken = async () =>
    (
      await fetch(`${origin}/api/projects/pets`, {
        headers: { authorization: `Bearer ${annsToken}` },
      })
    ).status;
  assert.equal(await byToken(), 200);

  // Ann leaves the company, and Bob the group of readers.
  await scim(
    'PATCH',
    `/Users/${idOf('ann')}`,
    patch({ op: 'Replace', path: 'active', value: 'False' }),
  );
  await scim(
    'PATCH',
    `/Groups/${readers}`,
    patch({ op: 'Remove', path: `members[value eq "${idOf('bob')}"]` }),
  );
  const took = await timeUntil(async () => {
    const left = [...(await reads('ann')), ...(await reads('bob'))];
    return left.every((status) => status !== 200);
  });
  assert.ok(took < 60_000, `${took} ms`);
  assert.equal(await statusOf(ann), 401);
  assert.equal(await byToken(), 401);
  provider.who = 'ann';
  assert.match(await testBrowser().signIn(origin), /problem=disabled/);
  assert.equal((await bob.call('GET', '/api/session')).status, 200, 'Bob works there still');

  // Whoever asks later who did what is told.
  const { items } = await json<Page<AuditEntry>>(await root.call('GET', '/api/audit?limit=100'));
  const entries = items
    .map(({ action, actor, target }) => `${actor}: ${action} ${target}`)
    .reverse();
  const story = [
    'root@example.com: domain.add docs.example.test',
    'root@example.com: scim_token.create Acme',
    'directory: account.create ann@acme.example',
    'directory: group.create Engineering',
    'root@example.com: group.role Engineering',
    'root@example.com: access.update pets',
    'ann@acme.example: identity.link ann@acme.example',
    'ann@acme.example: session.begin ann@acme.example',
    'ann@acme.example: deploy.create #2',
    'system: deploy.succeed #2',
    'ann@acme.example: token.create for a test',
    'directory: account.disable ann@acme.example',
    'directory: group.members Partners',
  ];
  let from = 0;
  for (const line of story) {
    const at = entries.indexOf(line, from);
    assert.ok(at >= 0, `${line} is missing in\n${entries.join('\n')}`);
    from = at + 1;
  }
});
