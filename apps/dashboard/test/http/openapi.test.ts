import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readConfig } from '../../server/src/config.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import type { DeliverySummary } from '../../server/src/notices/delivery.ts';
import type { Webhook } from '../../server/src/notices/webhook.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { type ApiDocument, operationsOf, readApiDocument } from '../support/api-document.ts';
import {
  createProject,
  deploy,
  documentTitled,
  finished,
  idOf,
  invite,
  makeToken,
  setPlan,
} from '../support/project.ts';
import { NOT_READY } from '../support/rehearsal-responses.ts';
import { json, PASSWORD, type Service, startService } from '../support/service.ts';

const DOMAIN = '/api/projects/pets/domains/docs.example.test';

/** The operations that need no credentials. */
const PUBLIC = [
  'getVisitor',
  ...['getInstallation', 'signUp', 'signIn', 'getInvitation'],
  ...['requestPasswordLink', 'getAccountLink', 'resetPassword', 'confirmEmail'],
  ...['signInByLink', 'startProviderSignIn', 'finishProviderSignIn', 'receiveBackchannelLogout'],
  ...['getPendingLink', 'confirmPendingLink'],
  // Whoever is asked for more has no session yet.
  ...['cancelSignIn', 'getPasskeySignIn', 'signInWithPasskey', 'getSecondFactorPasskey'],
  ...['signInWithCode', 'signInWithRecoveryCode', 'signInWithSecondPasskey'],
  ...['draftRequiredApp', 'setUpRequiredApp', 'getRequiredPasskey', 'setUpRequiredPasskey'],
  ...['getLinkedDomain', 'verifyLinkedDomain', 'receiveRepositoryWebhook'],
];

const ZONE = readConfig({ DNS_ZONE: 'acme.docs.example.com', DNS_PORT: '0' }).dnsZone;

/** With name servers that nobody is behind. */
const served = async (t: TestContext): Promise<Service> =>
  startService(t, { dnsServers: ['127.0.0.1:9'], dnsZone: ZONE });

test('the document is valid OpenAPI 3.1, and its references lead somewhere', async (t) => {
  const document = await readApiDocument(await served(t));
  const result = await new Validator().validate({ ...document });
  assert.ok(result.valid, JSON.stringify(result.errors));
  assert.match(document.openapi, /^3\.1\./);
  const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g);
  const names = new Set([...references].map(([, reference]) => reference));
  assert.ok(names.size > 10);
  for (const name of names) {
    const [, schema = ''] = /^#\/components\/schemas\/(\w+)$/.exec(name ?? '') ?? [];
    assert.ok(document.components.schemas[schema], name);
  }
});

test('every operation has an id of its own, a summary and its credentials', async (t) => {
  const document = await readApiDocument(await served(t));
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  assert.equal(operations.length, operationsOf(document).length);
  const ids = operations.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, operations.length);
  for (const { operationId, summary, security = [] } of operations) {
    assert.match(operationId ?? '', /^[a-z][A-Za-z]+$/);
    assert.ok(summary && !summary.endsWith('.'), operationId);
    assert.equal(security.length === 0, PUBLIC.includes(operationId ?? ''), operationId);
  }
});

/** An archive, which test/export unpacks, and a page, which test/browser/private-sites.test.ts looks at. */
const NOT_JSON = [
  'GET /api/projects/{slug}/export',
  'GET /api/projects/{slug}/access/preview',
  'GET /api/audit/export',
  'GET /api/projects/{slug}/audit/export',
  // It leads browsers on.
  'GET /api/oidc/{provider}/callback',
];

/** What there is only for whoever signs in with a provider: test/oidc asks for it. */
const WITH_PROVIDER = ['GET /api/oidc/pending-link'];

test('a response without a body is described without content', async (t) => {
  const { paths } = await readApiDocument(await served(t));
  const empty = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => ['204', '304'].flatMap((status) => responses[status] ?? []));
  assert.ok(empty.length > 5);
  for (const response of empty) assert.ok(!('content' in response), JSON.stringify(response));
});

test('every GET below a slug may lead to the one of now, and nothing else does', async (t) => {
  const service = await served(t);
  const document = await readApiDocument(service);
  const moving = operationsOf(document).filter((name) => {
    const [method = '', path = ''] = name.split(' ');
    return '308' in (document.paths[path]?.[method.toLowerCase()]?.responses ?? {});
  });
  const below = operationsOf(document).filter((name) =>
    name.startsWith('GET /api/projects/{slug}'),
  );
  assert.deepEqual(moving, below);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const { token } = await makeToken(root);
  await json(await root.call('PATCH', '/api/projects/pets', { slug: 'zoo' }));
  const headers = { authorization: `Bearer ${token}` };
  for (const path of ['', '/deploys?limit=1']) {
    const url = `${service.origin}/api/projects/pets${path}`;
    const answer = await fetch(url, { headers, redirect: 'manual' });
    const { status } = answer;
    const { '308': declared } = document.paths['/api/projects/{slug}']?.get?.responses ?? {};
    assert.deepEqual(
      [
        status,
        answer.headers.get('location'),
        await answer.text(),
        declared && 'content' in declared,
      ],
      [308, `/api/projects/zoo${path}`, '', false],
    );
  }
});

test('a log is described as JSON and as a stream of events', async (t) => {
  const service = await served(t);
  const { paths } = await readApiDocument(service);
  const { '200': log } = paths['/api/projects/{slug}/deploys/{id}/log']?.get?.responses ?? {};
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const { id } = await deploy(root, 'pets');
  const typeFor = async (accept: string) => {
    const path = `/api/projects/pets/deploys/${id}/log`;
    const answer = await root.call('GET', path, undefined, { accept });
    await answer.text();
    return answer.headers.get('content-type')?.replace(/;.*/, '');
  };
  const types = [await typeFor('*/*'), await typeFor('text/event-stream')];
  assert.deepEqual(Object.keys((log as { content: object }).content), types);
});

test('the cookie of a session has the name that it is served with', async (t) => {
  const service = await startService(t, { trustedProxies: ['127.0.0.1'] });
  await service.signUp('root@example.com');
  for (const protocol of ['http', 'https', 'http']) {
    const headers = { 'x-forwarded-proto': protocol };
    const credentials = { email: 'root@example.com', password: PASSWORD };
    const visitor = service.visitor();
    const signedIn = await visitor.call('POST', '/api/session', credentials, headers);
    const [name] = signedIn.headers.getSetCookie()[0]?.split('=') ?? [];
    const answer = await visitor.call('GET', '/api/openapi.json', undefined, headers);
    const { components } = await json<ApiDocument>(answer);
    assert.deepEqual(components.securitySchemes.session, { type: 'apiKey', in: 'cookie', name });
  }
});

test('responses are as the document says', async (t) => {
  const service = await served(t);
  const document = await readApiDocument(service);
  const ajv = new Ajv2020({
    strict: false,
    formats: { 'date-time': /^\d{4}-.*Z$/, date: /^\d{4}-\d\d-\d\d$/ },
  });
  ajv.addSchema(document, 'document');
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  await makeToken(root, 'pets');
  const secret = await invite(root, 'pets', 'guest@example.com');
  const webhook = { url: 'https://nowhere.invalid/hooks' };
  const made = await root.call('POST', '/api/projects/pets/webhooks', webhook);
  const hook = `/api/projects/pets/webhooks/${(await json<Webhook>(made.clone(), 201)).id}`;
  // No receiver is asked: its name leads nowhere.
  const tested = await root.call('POST', `${hook}/test`);
  const listed = await root.call('GET', `${hook}/deliveries`);
  const [delivery] = (await json<Page<DeliverySummary>>(listed)).items;
  const upload = await root.call('POST', '/api/projects/pets/deploys', documentTitled('Pets'));
  await setPlan(root, 'pets', 'pro');
  await finished(root, 'pets', (await json<Deploy>(upload.clone(), 202)).id);
  const preview = '/api/projects/pets/deploys?branch=feature';
  const queued = await root.call('POST', preview, documentTitled('Branch'));
  const branch = await finished(root, 'pets', (await json<Deploy>(queued, 202)).id);
  assert.equal(branch.changes?.documentation, 1);
  const domain = await root.call('POST', '/api/projects/pets/domains', {
    hostname: 'docs.example.test',
  });
  const { link } = await json<Domain>(domain.clone(), 201);
  const deployPath = upload.headers.get('location')?.replace('/api/projects/pets', '');

  const check = async (template: string, answer: Response) => {
    const [method = '', path = ''] = template.split(' ');
    const status = answer.status < 400 ? `${answer.status}` : `${`${answer.status}`[0]}XX`;
    const pointer = ['paths', path, method.toLowerCase(), 'responses', status]
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const schema = `document#/${pointer}/content/application~1json/schema`;
    const body: unknown = await answer.json();
    const isValid = ajv.validate({ $ref: schema }, body);
    assert.ok(isValid, `${template}: ${ajv.errorsText()} ${JSON.stringify(body)}`);
  };
  await check('POST /api/projects/{slug}/deploys', upload);
  await check('POST /api/projects/{slug}/webhooks', made);
  const exception = { code: 'operation-removed', reason: 'Unused.', until: '2999-12-31' };
  await check(
    'POST /api/projects/{slug}/change-exceptions',
    await root.call('POST', '/api/projects/pets/change-exceptions', exception),
  );
  await check('POST /api/projects/{slug}/webhooks/{id}/test', tested);
  await check('POST /api/projects/{slug}/domains', domain);
  // No host is asked: its address is on this machine.
  const repository = await root.call('PUT', '/api/projects/pets/repository', {
    url: 'https://127.0.0.1:9/pets.git',
  });
  await check('PUT /api/projects/{slug}/repository', repository);
  await check(
    'POST /api/projects/{slug}/repository/webhook-secret',
    await root.call('POST', '/api/projects/pets/repository/webhook-secret'),
  );
  // The rehearser finds nothing to do in one that is under way; its result is one that has everything.
  await service.db.updateTable('domains').set({ verified_at: 1 }).execute();
  const rehearsed = await root.call('POST', `${DOMAIN}/rehearsals`);
  await check('POST /api/projects/{slug}/domains/{hostname}/rehearsals', rehearsed);
  const result = { result: JSON.stringify(NOT_READY), finished_at: 1, leased_by: 'nobody' };
  await service.db.updateTable('rehearsals').set(result).execute();
  const grouped = await root.call('POST', '/api/installation/groups', { name: 'Engineering' });
  const group = `/api/installation/groups/${(await json<{ id: string }>(grouped.clone(), 201)).id}`;
  await check('POST /api/installation/groups', grouped);
  const email = { email: 'root@example.com' };
  await check(
    'POST /api/installation/groups/{groupId}/members',
    await root.call('POST', `${group}/members`, email),
  );
  await check(
    'PUT /api/projects/{slug}/groups/{groupId}',
    await root.call('PUT', group.replace('installation', 'projects/pets'), { role: 'viewer' }),
  );
  await check(
    'POST /api/installation/scim-tokens',
    await root.call('POST', '/api/installation/scim-tokens', { name: 'Directory' }),
  );
  await check(
    'PUT /api/installation/quotas/{quota}/{target}',
    await root.call('PUT', '/api/installation/quotas/bytes/project:pets', { most: 1_000_000_000 }),
  );
  const reads: Record<string, string> = {
    'GET /api/installation': '/api/installation',
    'GET /api/session': '/api/session',
    'GET /api/visitor': '/api/visitor',
    'GET /api/account/email': '/api/account/email',
    'GET /api/account/sessions': '/api/account/sessions',
    'GET /api/account/tokens': '/api/account/tokens',
    'GET /api/account/identities': '/api/account/identities',
    'GET /api/installation/security': '/api/installation/security',
    'GET /api/installation/sign-in': '/api/installation/sign-in',
    'GET /api/session/confirmation': '/api/session/confirmation',
    'GET /api/plans': '/api/plans',
    'GET /api/projects': '/api/projects',
    'GET /api/activity': '/api/activity',
    'GET /api/account/factors': '/api/account/factors',
    'GET /api/account/first-steps': '/api/account/first-steps',
    'GET /api/account/quotas': '/api/account/quotas',
    'GET /api/installation/quotas': '/api/installation/quotas',
    'GET /api/installation/quotas/accounts': '/api/installation/quotas/accounts',
    'GET /api/installation/quotas/projects': '/api/installation/quotas/projects?exceptions=true',
    'GET /api/projects/{slug}/quotas': '/api/projects/pets/quotas',
    'GET /api/projects/{slug}/removable-deploys': '/api/projects/pets/removable-deploys',
    'GET /api/search': '/api/search?q=pets',
    'GET /api/projects/{slug}': '/api/projects/pets',
    'GET /api/projects/{slug}/members': '/api/projects/pets/members',
    'GET /api/projects/{slug}/invitations': '/api/projects/pets/invitations',
    'GET /api/projects/{slug}/tokens': '/api/projects/pets/tokens',
    'GET /api/projects/{slug}/deploys': '/api/projects/pets/deploys',
    'GET /api/projects/{slug}/deploys/{id}': `/api/projects/pets${deployPath}`,
    'GET /api/projects/{slug}/deploys/{id}/changes': `/api/projects/pets/deploys/${branch.id}/changes`,
    'GET /api/projects/{slug}/deploys/{id}/log': `/api/projects/pets${deployPath}/log`,
    'GET /api/projects/{slug}/previews': '/api/projects/pets/previews',
    'GET /api/projects/{slug}/versions': '/api/projects/pets/versions',
    'GET /api/projects/{slug}/access': '/api/projects/pets/access',
    'GET /api/projects/{slug}/change-exceptions': '/api/projects/pets/change-exceptions',
    'GET /api/projects/{slug}/readers': '/api/projects/pets/readers?period=12m',
    'GET /api/projects/{slug}/readers/sentences': '/api/projects/pets/readers/sentences',
    'GET /api/projects/{slug}/readers/{table}': '/api/projects/pets/readers/missing',
    'GET /api/projects/{slug}/moved-addresses': '/api/projects/pets/moved-addresses',
    'GET /api/projects/{slug}/audit': '/api/projects/pets/audit',
    'GET /api/projects/{slug}/repository': '/api/projects/pets/repository',
    'GET /api/projects/{slug}/webhooks': '/api/projects/pets/webhooks',
    'GET /api/projects/{slug}/webhooks/{id}/deliveries': `${hook}/deliveries`,
    'GET /api/projects/{slug}/webhooks/{id}/deliveries/{deliveryId}': `${hook}/deliveries/${delivery?.id}`,
    'GET /api/projects/{slug}/domains': '/api/projects/pets/domains',
    'GET /api/projects/{slug}/domains/{hostname}': DOMAIN,
    'GET /api/projects/{slug}/domains/{hostname}/domain-connect': `${DOMAIN}/domain-connect`,
    'GET /api/projects/{slug}/domains/{hostname}/events': `${DOMAIN}/events`,
    'GET /api/projects/{slug}/domains/{hostname}/move': `${DOMAIN}/move`,
    'GET /api/projects/{slug}/domains/{hostname}/traffic': `${DOMAIN}/traffic`,
    'GET /api/projects/{slug}/domains/{hostname}/rehearsals/latest': `${DOMAIN}/rehearsals/latest`,
    'GET /api/domain-links/{secret}': `${link?.replace(/^.*\/d\//, '/api/domain-links/')}`,
    'GET /api/installation/users': '/api/installation/users',
    'GET /api/installation/groups': '/api/installation/groups',
    'GET /api/installation/groups/{groupId}': group,
    'GET /api/installation/groups/{groupId}/members': `${group}/members`,
    'GET /api/installation/scim-tokens': '/api/installation/scim-tokens',
    'GET /api/projects/{slug}/groups': '/api/projects/pets/groups',
    'GET /api/projects/{slug}/groups/choices': '/api/projects/pets/groups/choices',
    'GET /api/installation/users/{id}': `/api/installation/users/${await idOf(root)}`,
    'GET /api/audit': '/api/audit',
    'GET /api/zone': '/api/zone',
    'GET /api/zone/check': '/api/zone/check',
    'GET /api/invitations/{secret}': `/api/invitations/${secret}`,
  };
  for (const [template, path] of Object.entries(reads)) {
    const answer = await root.call('GET', path);
    assert.equal(answer.status, 200, template);
    await check(template, answer);
  }
  const every = operationsOf(document).filter(
    (name) =>
      name.startsWith('GET ') &&
      ![...NOT_JSON, ...WITH_PROVIDER].includes(name) &&
      !name.endsWith('/csv'),
  );
  assert.deepEqual(Object.keys(reads).sort(), every.sort());
  const verify = await root.call('POST', `${DOMAIN}/verify`);
  await check('POST /api/projects/{slug}/domains/{hostname}/verify', verify);
  await check('GET /api/projects/{slug}', await root.call('GET', '/api/projects/none'));
  await check('POST /api/projects', await root.call('POST', '/api/projects', {}));
});
