import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { writeAudit } from '../../server/src/store/audit.ts';
import { createProject, joinAs, makeToken } from '../support/project.ts';
import { assertError, json, startService, type Visitor } from '../support/service.ts';

const DAY_MS = 24 * 3_600_000;
const DAY = Date.parse('2026-11-10');

onBothEngines('a log is narrowed by who, what, where and when, page by page', async (t) => {
  let now = DAY;
  const service = await startService(t, { signUp: 'open' }, { now: () => now });
  await service.signUp('root@example.com');
  const ann = await service.signUp('ann@example.com');
  await createProject(ann, 'pets');
  const bob = await joinAs(service, ann, 'pets', 'bob@example.com', 'owner');
  const later = async (visitor: string) => {
    now += DAY_MS;
    const someone = service.visitor();
    const credentials = { email: visitor, password: 'correct horse battery' };
    await json(await someone.call('POST', '/api/session', credentials));
    return someone;
  };
  await json(
    await (await later('bob@example.com')).call('PATCH', '/api/projects/pets', { name: 'Cats' }),
  );
  await createProject(await later('root@example.com'), 'boats');
  assert.ok(bob);

  const list = async (visitor: Visitor, query: Record<string, string>, path: string) => {
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = new URLSearchParams({ ...query, limit: '2', ...(cursor && { cursor }) });
      const { items, nextCursor } = await json<Page<AuditEntry>>(
        await visitor.call('GET', `${path}?${page}`),
      );
      seen.push(...items.map(({ action, actor }) => `${action} ${actor.replace(/@.*/, '')}`));
      if (nextCursor === null) return seen;
      cursor = nextCursor;
    }
  };
  const reader = await later('bob@example.com');
  const ofPets = (query: Record<string, string>) => list(reader, query, '/api/projects/pets/audit');
  const owner = await later('root@example.com');
  const ofAll = (query: Record<string, string>) => list(owner, query, '/api/audit');

  assert.deepEqual(await ofPets({ actor: 'ANN@example.com' }), [
    'invitation.create ann',
    'project.create ann',
  ]);
  assert.deepEqual(await ofPets({ action: 'project' }), [
    'project.update bob',
    'project.create ann',
  ]);
  assert.deepEqual(await ofPets({ action: 'project.update' }), ['project.update bob']);
  assert.deepEqual(await ofPets({ target: 'bob@example.com', action: 'invitation' }), [
    'invitation.accept bob',
    'invitation.create ann',
  ]);
  assert.deepEqual(await ofPets({ from: '2026-11-11' }), ['project.update bob']);
  assert.deepEqual(await ofPets({ to: '2026-11-10', action: 'project' }), ['project.create ann']);
  assert.deepEqual(await ofPets({ from: '2026-11-11T00:00:00.001Z' }), []);
  assert.deepEqual(await ofPets({ actor: '%' }), []);
  assert.deepEqual(await ofAll({ action: 'project.create' }), [
    'project.create root',
    'project.create ann',
  ]);
  assert.deepEqual(await ofAll({ project: 'boats' }), ['project.create root']);
  assert.deepEqual(await ofAll({ project: 'nothing' }), []);

  const bad = async (query: string) =>
    assertError(
      await reader.call('GET', `/api/projects/pets/audit?${query}`),
      ...([400, 'invalid_request'] as const),
    );
  assert.match(await bad('from=yesterday'), /^from must be a day or an instant/);
  await bad('from=2026-02-31');
  await bad('to=2026-13-01');
  await bad('action=DROP%20TABLE');
  await bad('actor=%00');
  assert.match(await bad('from=2026-11-12&to=2026-11-11'), /from must not be after to/);
});

onBothEngines('a log is downloaded whole, as its reader may see it', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const root = await service.signUp('root@example.com');
  const ann = await service.signUp('ann@example.com');
  await createProject(ann, 'pets');
  const viewer = await joinAs(service, ann, 'pets', 'viewer@example.com', 'viewer');
  const { id } = await service.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
  // More than are read at once, one of which is an attack on a spreadsheet.
  await service.db.transaction().execute(async (trx) => {
    for (let n = 0; n < 700; n += 1) {
      const actor = { userId: null, name: 'ann@example.com', via: 'session', ip: '::1' } as const;
      const target = n === 0 ? '=HYPERLINK("http://x","a, b")' : `domain-${n}`;
      await writeAudit(trx, Date.now(), actor, { action: 'domain.add', projectId: id, target });
    }
  });
  const path = '/api/projects/pets/audit/export';
  const lines = await ann.call('GET', path);
  assert.equal(lines.headers.get('content-type'), 'application/jsonl; charset=utf-8');
  assert.match(
    lines.headers.get('content-disposition') ?? '',
    /^attachment; filename="pets-audit-\d{4}-\d\d-\d\d\.jsonl"$/,
  );
  const entries = (await lines.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntry);
  assert.equal(entries.length, 703);
  assert.equal(entries[0]?.action, 'project.create');
  assert.deepEqual(
    entries.map((entry) => entry.id),
    entries.map((entry) => entry.id).toSorted((a, b) => a - b),
  );
  assert.ok(entries.every(({ project }) => project === 'pets'));

  const csv = await ann.call('GET', `${path}?format=csv&action=domain`);
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  const [head, first, ...rest] = (await csv.text()).split('\r\n');
  assert.equal(head, 'id,at,actor,via,token,ip,action,project,target,details');
  assert.match(first ?? '', /,domain\.add,pets,"'=HYPERLINK\(""http:\/\/x"",""a, b""\)",\{\}$/);
  assert.equal(rest.length, 700);

  const { token } = await makeToken(ann, 'pets');
  assert.equal((await ann.withToken(token).call('GET', `${path}?to=2020-01-01`)).status, 200);
  await assertError(await viewer.call('GET', path), 403, 'forbidden');
  await assertError(await ann.call('GET', '/api/audit/export'), 403, 'forbidden');
  await assertError(await ann.call('GET', `${path}?format=xml`), 400, 'invalid_request');
  assert.match(await (await root.call('GET', '/api/audit/export')).text(), /account\.create/);
});
