import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { createProject, deploy, setPlan } from '../support/project.ts';
import { assertError, json } from '../support/service.ts';
import { addDomain, eventsOf, readyProject, startDomainService } from './support/domains.ts';

test('a domain needs the plan Pro and a successful deploy, and the refusal says so', async (t) => {
  const { root } = await startDomainService(t);
  await createProject(root, 'pets');
  const add = () =>
    root.call('POST', '/api/projects/pets/domains', { hostname: 'docs.example.test' });
  assert.match(await assertError(await add(), 403, 'forbidden'), /plan Pro.*on Free/);
  await setPlan(root, 'pets', 'pro');
  assert.match(await assertError(await add(), 409, 'conflict'), /successful deploy/);
  await deploy(root, 'pets', 'no document');
  assert.match(await assertError(await add(), 409, 'conflict'), /successful deploy/);
  await deploy(root, 'pets');
  await json(await add(), 201);
  assert.match(await assertError(await add(), 409, 'conflict'), /already/);
});

test('the response to a new domain holds the records to create', async (t) => {
  const { root } = await startDomainService(t);
  await readyProject(root, 'pets');
  const added = await root.call('POST', '/api/projects/pets/domains', {
    hostname: 'Docs.Example.TEST.',
  });
  assert.equal(added.headers.get('location'), '/api/projects/pets/domains/docs.example.test');
  const subdomain = await json<Domain>(added, 201);
  const [cname, ...others] = subdomain.records;
  assert.deepEqual(others, []);
  assert.match(cname?.value ?? '', /^[a-z2-7]{20}\.docs\.localhost$/);
  const { value } = cname ?? {};
  assert.deepEqual(cname, {
    type: 'CNAME',
    name: 'docs.example.test',
    host: 'docs',
    value,
    ttl: 3_600,
  });
  assert.deepEqual(
    [subdomain.hostname, subdomain.state, subdomain.primary, subdomain.certificate],
    ['docs.example.test', 'unverified', false, null],
  );

  const apex = await addDomain(root, 'pets', 'bücher.test');
  assert.equal(apex.hostname, 'xn--bcher-kva.test');
  assert.equal(apex.unicode, 'bücher.test');
  const [alias, txt] = apex.records;
  assert.deepEqual([alias?.type, alias?.host], ['ALIAS', '@']);
  assert.notEqual(alias?.value, value, 'every claim has a target of its own');
  assert.deepEqual(
    [txt?.type, txt?.name, txt?.host],
    ['TXT', '_docs-challenge.xn--bcher-kva.test', '_docs-challenge'],
  );
  assert.match(txt?.value ?? '', /^docs-verify=[a-z2-7]{32}$/);

  const { items } = await json<Page<Domain>>(await root.call('GET', '/api/projects/pets/domains'));
  assert.deepEqual(
    items.map(({ hostname }) => hostname),
    ['docs.example.test', 'xn--bcher-kva.test'],
  );
});

test('a name that no site can have is refused with what would be right', async (t) => {
  const { root } = await startDomainService(t);
  await readyProject(root, 'pets');
  for (const hostname of [
    ...['192.0.2.1', '::1', '127.1', 'localhost', 'com', 'co.uk', 'docs.*.test', 'a..b.test'],
    ...['docs.localhost', 'pets.docs.localhost', 'docs_.example.test', 'https://docs.example.test'],
    ...['docs.example.test:443', `${'a'.repeat(64)}.test`, 'xn--a.test', ' ', '\u0000.test'],
  ]) {
    const refusal = await root.call('POST', '/api/projects/pets/domains', { hostname });
    const message = await assertError(refusal, 400, 'invalid_request');
    assert.match(message, /^hostname must /, hostname);
  }
});

onBothEngines(
  'of many who add at the same time, none gets past the bound of the plan',
  async (t) => {
    const { root } = await startDomainService(t);
    await readyProject(root, 'pets');
    const statuses = await Promise.all(
      Array.from({ length: 14 }, async (_, n) => {
        const body = { hostname: `docs-${n}.example.test` };
        return (await root.call('POST', '/api/projects/pets/domains', body)).status;
      }),
    );
    assert.equal(statuses.filter((status) => status === 201).length, 10);
    assert.equal(statuses.filter((status) => status === 409).length, 4);
  },
);

onBothEngines('one name added twice at the same time is added once', async (t) => {
  const { root } = await startDomainService(t);
  await readyProject(root, 'pets');
  const body = { hostname: 'docs.example.test' };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => root.call('POST', '/api/projects/pets/domains', body)),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
  assert.equal((await eventsOf(root, 'pets', 'docs.example.test')).at(0), 'added');
});
