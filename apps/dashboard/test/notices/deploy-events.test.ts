import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { Webhook as Verifier } from 'standardwebhooks';
import type { DeploySummary } from '../../server/src/deploys/deploy.ts';
import type { CreatedWebhook } from '../../server/src/notices/webhook.ts';
import { createProject, deploy, documentTitled } from '../support/project.ts';
import { json, startService } from '../support/service.ts';
import { until } from './support/delivery.ts';
import { type Received, startReceiver } from './support/receiver.ts';

const HOOKS = '/api/projects/pets/webhooks';

interface Told {
  readonly type: string;
  readonly data: {
    readonly project: string;
    readonly message: string;
    readonly deploy: DeploySummary;
    readonly [more: string]: unknown;
  };
}

/** What a request says, once the official library has verified it. */
const verified = (secret: string, { headers, body }: Received) =>
  new Verifier(secret).verify(body, headers as Record<string, string>) as Told;

onBothEngines(
  'webhooks are told of deploys that succeed, fail and go live, each of what it asked for',
  async (t) => {
    const [every, failures] = [await startReceiver(t), await startReceiver(t)];
    const service = await startService(t, { webhookPrivateAddresses: 'allow' });
    const owner = await service.signUp('ann@example.com');
    await createProject(owner, 'pets');
    const add = async (body: object) =>
      json<CreatedWebhook>(await owner.call('POST', HOOKS, body), 201);
    const { id, secret, events } = await add({ url: every.url });
    assert.deepEqual(events.slice(0, 4), [
      ...['deploy.succeeded', 'deploy.failed', 'deploy.live', 'api.changed'],
    ]);
    const ofDeploys = { events: events.slice(0, 3) };
    await json(await owner.call('PATCH', `${HOOKS}/${id}`, ofDeploys));
    const other = await add({ url: failures.url, events: ['deploy.failed'] });
    assert.deepEqual(other.events, ['deploy.failed']);

    /** The messages since the last call, when there are as many. */
    const next = async (count: number) => {
      await until(() => every.received.length >= count, `${count} messages`);
      const told = every.received.splice(0).map((got) => verified(secret, got));
      return told.sort((one, two) => (one.type < two.type ? 1 : -1));
    };
    const first = await deploy(owner, 'pets');
    const [succeeded, live] = await next(2);
    assert.equal(succeeded?.type, 'deploy.succeeded');
    assert.equal(succeeded?.data.message, 'Deploy #1 of pets succeeded.');
    const { strict, errors, warnings, hints, comparedWith, changesProblem, ...summary } = first;
    assert.deepEqual(succeeded?.data.deploy, summary, 'the deploy as the API lists it');
    const { pageUrl } = succeeded.data;
    assert.equal(pageUrl, `${service.addresses.dashboard}/projects/pets/deploys/${first.id}`);
    assert.equal(live?.type, 'deploy.live');
    const site = service.addresses.site('pets');
    assert.equal(live?.data.siteUrl, site);
    assert.equal(live?.data.message, `Deploy #1 of pets is live at ${site}.`);
    assert.equal(live?.data.project, 'pets');

    const failed = await deploy(owner, 'pets', '{"openapi": "3.1.0",');
    assert.equal(failed.state, 'failed');
    const [told] = await next(1);
    assert.equal(told?.type, 'deploy.failed');
    assert.deepEqual(told?.data.errors, failed.errors);
    assert.equal(told?.data.errorCount, failed.errors.length);
    assert.ok(told?.data.message.endsWith(failed.errors[0]?.message ?? '?'));

    const query = '?branch=feature&commit=9d9cec5b2c4f&commit-branch=feature/x';
    await deploy(owner, 'pets', documentTitled('Branch'), query);
    const [branch, ...none] = await next(1);
    assert.deepEqual([branch?.type, none], ['deploy.succeeded', []]);
    assert.equal(branch?.data.deploy.branch, 'feature');
    assert.equal(branch?.data.deploy.commit?.hash, '9d9cec5b2c4f');
    assert.equal(branch?.data.deploy.commit?.branch, 'feature/x');
    assert.equal(
      branch?.data.message,
      'Deploy #3 of pets succeeded, as a preview of the branch feature.',
    );

    await deploy(owner, 'pets', documentTitled('Old'), '?version=v1');
    const [, ofVersion] = await next(2);
    assert.equal(ofVersion?.data.siteUrl, `${site}/v1`);

    const last = await deploy(owner, 'pets', documentTitled('Later'), '?activate=false');
    assert.deepEqual(
      (await next(1)).map(({ type }) => type),
      ['deploy.succeeded'],
    );
    const activate = async (id: string) =>
      json(await owner.call('POST', `/api/projects/pets/deploys/${id}/activate`));
    await activate(last.id);
    assert.deepEqual(
      (await next(1)).map(({ type, data }) => [type, data.deploy.number, data.deploy.live]),
      [['deploy.live', 5, true]],
    );
    await activate(last.id);
    await activate(first.id);
    assert.deepEqual(
      (await next(1)).map(({ data }) => data.deploy.number),
      [1],
      'what was live already is no news',
    );

    await json(await owner.call('PATCH', '/api/projects/pets', { holdBreaking: true }));
    const api = JSON.parse(documentTitled('Pets'));
    const get = { responses: { 200: { description: 'Done.' } } };
    await deploy(owner, 'pets', JSON.stringify({ ...api, paths: { '/pets': { get } } }));
    await next(2);
    await deploy(owner, 'pets');
    const held = await next(1);
    assert.deepEqual(
      held.map(({ type, data }) => [type, data.deploy.held?.reason, data.deploy.changes?.breaking]),
      [['deploy.succeeded', 'breaking', 1]],
    );
    assert.match(
      held[0]?.data.message ?? '',
      /^Deploy #7 of pets succeeded\. It is held back: an owner puts it live\. It/,
    );

    assert.equal(failures.received.length, 1);
    assert.ok(failures.received[0]);
    assert.equal(verified(other.secret, failures.received[0]).type, 'deploy.failed');
    const stored = await service.db.selectFrom('notices').select(['email', 'type']).execute();
    assert.deepEqual(
      stored.filter(({ email }) => email !== null),
      [],
      'nobody gets an e-mail about a deploy',
    );
  },
);

/** A document with these operations. */
const apiWith = (paths: readonly string[]) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    paths: Object.fromEntries(
      paths.map((path) => [path, { get: { responses: { 200: { description: 'Done.' } } } }]),
    ),
  });

onBothEngines(
  'webhooks are told what changes in the API once it is live, and of nothing that nobody compared',
  async (t) => {
    const receiver = await startReceiver(t);
    const service = await startService(t, { webhookPrivateAddresses: 'allow' });
    const owner = await service.signUp('ann@example.com');
    await createProject(owner, 'pets');
    await json(await owner.call('PATCH', '/api/projects/pets', { holdBreaking: true }));
    const body = { url: receiver.url, events: ['deploy.succeeded', 'deploy.live', 'api.changed'] };
    const { secret } = await json<CreatedWebhook>(await owner.call('POST', HOOKS, body), 201);
    const next = async (count: number) => {
      await until(() => receiver.received.length >= count, `${count} messages`);
      const told = receiver.received.splice(0).map((got) => verified(secret, got));
      return new Map(told.map(({ type, data }) => [type, data]));
    };
    const activate = async (id: string) =>
      json(await owner.call('POST', `/api/projects/pets/deploys/${id}/activate`));

    const first = await deploy(owner, 'pets', apiWith(['/pets', '/owners']));
    assert.deepEqual([...(await next(2)).keys()].sort(), ['deploy.live', 'deploy.succeeded']);

    const many = Array.from({ length: 120 }, (_, index) => `/added-${index}`);
    const second = await deploy(owner, 'pets', apiWith(['/pets', '/owners', ...many]));
    const changed = (await next(3)).get('api.changed');
    assert.equal(changed?.message, 'The API of pets has 120 compatible changes.');
    assert.deepEqual(changed.summary, second.changes);
    assert.deepEqual(changed.comparedWith, { id: first.id, number: 1 });
    const changes = changed.changes as object[];
    assert.deepEqual([changes.length, changed.leftOut], [100, 20]);
    assert.deepEqual(changes[0], {
      code: 'operation-added',
      verdict: 'compatible',
      operation: 'GET /added-0',
      message: (changes[0] as { message: string }).message,
    });
    const { origin } = service;
    const path = String(changed.changesUrl).replace(origin, '');
    const list = await json<{ changes: object[] }>(await owner.call('GET', path));
    assert.equal(list.changes.length, 120, 'the list that its URL leads to is whole');

    const breaking = await deploy(owner, 'pets', apiWith(['/pets', ...many]));
    assert.equal(breaking.held?.reason, 'breaking');
    const held = await next(1);
    assert.deepEqual([...held.keys()], ['deploy.succeeded'], 'what is held back changes nothing');
    assert.equal(
      held.get('deploy.succeeded')?.message,
      'Deploy #3 of pets succeeded. It is held back: an owner puts it live. It has 1 breaking change for those who use deploy #2.',
    );
    await activate(breaking.id);
    const released = await next(2);
    assert.equal(released.get('api.changed')?.message, 'The API of pets has 1 breaking change.');

    await activate(first.id);
    assert.deepEqual([...(await next(1)).keys()], ['deploy.live'], 'it was compared with none');
    await activate(second.id);
    assert.deepEqual(
      [...(await next(2)).keys()].sort(),
      ['api.changed', 'deploy.live'],
      'it was compared with what is live again',
    );
    await activate(first.id);
    await next(1);
    await activate(breaking.id);
    assert.deepEqual(
      [...(await next(1)).keys()],
      ['deploy.live'],
      'it was compared with another one than was live',
    );
    await deploy(owner, 'pets', apiWith(['/pets', ...many]));
    assert.deepEqual(
      [...(await next(2)).keys()].sort(),
      ['deploy.live', 'deploy.succeeded'],
      'nothing of the API changed',
    );
  },
);
