import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import Fastify from 'fastify';
import type { Deps } from '../../server/src/deps.ts';
import { guardRoutes } from '../../server/src/http/access.ts';
import { operationsOf, readApiDocument } from '../support/api-document.ts';
import { createProject, joinAs, makeToken, setPlan } from '../support/project.ts';
import { json, type Service, startService, type Visitor } from '../support/service.ts';

/** Who asks, in the order of the columns below. All tokens are the project's owner's. */
const CALLERS = [
  'nobody',
  'a stranger with an account',
  'a viewer',
  'an editor',
  'an owner',
  "the installation's owner",
  'a token for all projects',
  'a token for this project',
  'a token for another project',
  'a revoked token',
] as const;

/**
 * Every operation: what each caller gets, and the status of those who may. `+` may, `-` 401, `x` 403, `?` is
 * told that there is no such project. Where the operation would change what the next row rests on, the
 * request is one that whoever may do it is told to mend: who may is decided before a body is read.
 */
const OPERATIONS: Record<string, readonly [who: string, status: number, body?: unknown]> = {
  'GET /api/openapi.json': ['+ + + + + + + + + +', 200],
  'GET /api/installation': ['+ + + + + + + + + +', 200],
  'POST /api/sign-up': ['+ + + + + + + + + +', 400, {}],
  'POST /api/session': ['+ + + + + + + + + +', 400, {}],
  'GET /api/invitations/{secret}': ['+ + + + + + + + + +', 404],

  'GET /api/domain-links/{secret}': ['+ + + + + + + + + +', 404],
  'POST /api/domain-links/{secret}/verify': ['+ + + + + + + + + +', 404],

  'GET /api/visitor': ['+ + + + + + + + + +', 200],
  'GET /api/session': ['- + + + + + + + + -', 200],
  'GET /api/plans': ['- + + + + + + + + -', 200],
  'GET /api/projects': ['- + + + + + + + + -', 200],
  'POST /api/projects': ['- + + + + + + x x -', 400, {}],

  'PATCH /api/account': ['- + + + + + x x x -', 400, {}],
  'POST /api/account/password': ['- + + + + + x x x -', 400, {}],
  'GET /api/account/sessions': ['- + + + + + x x x -', 200],
  'DELETE /api/account/sessions': ['- + + + + + x x x -', 204],
  'DELETE /api/account/sessions/{id}': ['- + + + + + x x x -', 404],
  'GET /api/account/tokens': ['- + + + + + x x x -', 200],
  'POST /api/account/tokens': ['- + + + + + x x x -', 400, {}],
  'DELETE /api/account/tokens/{id}': ['- + + + + + x x x -', 404],
  'POST /api/invitations/{secret}/accept': ['- + + + + + x x x -', 404],

  'GET /api/audit': ['- x x x x + x x x -', 200],
  'PUT /api/projects/{slug}/plan': ['- x x x x + x x x -', 400, {}],

  'GET /api/projects/{slug}': ['- ? + + + + + + ? -', 200],
  'GET /api/projects/{slug}/members': ['- ? + + + + + + ? -', 200],
  'GET /api/projects/{slug}/deploys': ['- ? + + + + + + ? -', 200],
  'GET /api/projects/{slug}/deploys/{id}': ['- ? + + + + + + ? -', 404],
  'GET /api/projects/{slug}/deploys/{id}/log': ['- ? + + + + + + ? -', 404],

  'GET /api/projects/{slug}/domains': ['- ? + + + + + + ? -', 200],
  'GET /api/projects/{slug}/domains/{hostname}': ['- ? + + + + + + ? -', 404],
  'GET /api/projects/{slug}/domains/{hostname}/events': ['- ? + + + + + + ? -', 404],
  'POST /api/projects/{slug}/domains/{hostname}/verify': ['- ? x + + + + + ? -', 404],
  'POST /api/projects/{slug}/domains': ['- ? x x + + + + ? -', 400, {}],
  'PATCH /api/projects/{slug}/domains/{hostname}': ['- ? x x + + + + ? -', 400, {}],
  'DELETE /api/projects/{slug}/domains/{hostname}': ['- ? x x + + + + ? -', 404],
  'POST /api/projects/{slug}/domains/{hostname}/primary': ['- ? x x + + + + ? -', 404],
  'POST /api/projects/{slug}/domains/{hostname}/link': ['- ? x x + + + + ? -', 404],

  'GET /api/projects/{slug}/audit': ['- ? x + + + + + ? -', 200],
  'POST /api/projects/{slug}/deploys': ['- ? x + + + + + ? -', 400, ''],
  'POST /api/projects/{slug}/deploys/{id}/activate': ['- ? x + + + + + ? -', 404],

  'PATCH /api/projects/{slug}': ['- ? x x + + + + ? -', 200, {}],
  'DELETE /api/projects/{slug}': ['- ? x x + + + + ? -', 400, { confirm: 'another' }],
  'PATCH /api/projects/{slug}/members/{userId}': ['- ? x x + + + + ? -', 400, {}],
  'DELETE /api/projects/{slug}/members/{userId}': ['- ? x x + + + + ? -', 404],
  'GET /api/projects/{slug}/invitations': ['- ? x x + + + + ? -', 200],
  'POST /api/projects/{slug}/invitations': ['- ? x x + + + + ? -', 400, {}],
  'DELETE /api/projects/{slug}/invitations/{id}': ['- ? x x + + + + ? -', 404],
  'GET /api/projects/{slug}/tokens': ['- ? x x + + + + ? -', 200],
  'POST /api/projects/{slug}/tokens': ['- ? x x + + x x ? -', 400, {}],
  'DELETE /api/projects/{slug}/tokens/{id}': ['- ? x x + + + + ? -', 404],

  'GET /api/projects/{slug}/webhooks': ['- ? x x + + + + ? -', 200],
  'POST /api/projects/{slug}/webhooks': ['- ? x x + + + + ? -', 400, {}],
  'DELETE /api/projects/{slug}/webhooks/{id}': ['- ? x x + + + + ? -', 404],
  'POST /api/projects/{slug}/webhooks/{id}/test': ['- ? x x + + + + ? -', 404],

  // The last: nobody is signed in afterwards.
  'DELETE /api/session': ['- + + + + + x x x -', 204],
};

const PARAMETERS = { slug: 'pets', id: 'none', userId: 'none', secret: 'none', hostname: 'none' };

onBothEngines('every operation lets in exactly those who may call it', async (t) => {
  const service = await startService(t);
  const callers = await makeCallers(service);
  for (const [operation, [who, status, body]] of Object.entries(OPERATIONS)) {
    const [method = '', template = ''] = operation.split(' ');
    const path = template.replaceAll(
      /\{(\w+)\}/g,
      (_, name: keyof typeof PARAMETERS) => PARAMETERS[name],
    );
    for (const [column, expected] of who.split(' ').entries()) {
      const answer = await (callers[column] as Visitor).call(method, path, body);
      const said = `${operation} for ${CALLERS[column]}`;
      assert.equal(await markOf(answer), expected, said);
      if (expected === '+') assert.equal(answer.status, status, said);
    }
  }
});

async function makeCallers(service: Service): Promise<Visitor[]> {
  const root = await service.signUp('root@example.com');
  await createProject(root, 'roots');
  const owner = await joinAs(service, root, 'roots', 'owner@example.com', 'viewer');
  await createProject(owner, 'pets');
  await createProject(owner, 'other');
  await setPlan(root, 'pets', 'pro');
  const editor = await joinAs(service, owner, 'pets', 'editor@example.com', 'editor');
  const viewer = await joinAs(service, owner, 'pets', 'viewer@example.com', 'viewer');
  const stranger = await joinAs(service, root, 'roots', 'stranger@example.com', 'viewer');
  const nobody = service.visitor();
  const everywhere = await makeToken(owner);
  const here = await makeToken(owner, 'pets');
  const elsewhere = await makeToken(owner, 'other');
  const revoked = await makeToken(owner);
  await owner.call('DELETE', `/api/account/tokens/${revoked.id}`);
  const tokens = [everywhere, here, elsewhere, revoked];
  const bearers = tokens.map(({ token }) => nobody.withToken(token));
  return [nobody, stranger, viewer, editor, owner, root, ...bearers];
}

async function markOf(answer: Response): Promise<string> {
  const text = await answer.text();
  if (answer.status === 401) return '-';
  if (answer.status === 403) return 'x';
  return answer.status === 404 && text.includes('no such project') ? '?' : '+';
}

test('the table above has every operation that the service has', async (t) => {
  const service = await startService(t);
  const operations = operationsOf(await readApiDocument(service));
  const listed = Object.keys(OPERATIONS).filter((name) => !name.endsWith('/openapi.json'));
  assert.deepEqual(listed.toSorted(), operations.toSorted());
});

onBothEngines('a token has its owner’s rights and no more', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const viewer = await joinAs(service, root, 'pets', 'viewer@example.com', 'viewer');
  const bearer = viewer.withToken((await makeToken(viewer)).token);
  const upload = await bearer.call('POST', '/api/projects/pets/deploys', '{}');
  assert.equal(upload.status, 403);
  const scoped = root.withToken((await makeToken(root, 'pets')).token);
  const change = await scoped.call('PUT', '/api/projects/pets/plan', { plan: 'pro' });
  assert.equal(change.status, 403, 'a scoped token of the installation’s owner sets no plans');
  const whole = root.withToken((await makeToken(root)).token);
  await json(await whole.call('PUT', '/api/projects/pets/plan', { plan: 'pro' }));
});

test('a route of the API that does not say who may call it is refused at the start', () => {
  const app = Fastify();
  guardRoutes(app, {} as Deps);
  assert.throws(
    () => app.get('/api/secrets', async () => ({})),
    /\/api\/secrets does not say who may call it/,
  );
});
