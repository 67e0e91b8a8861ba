import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { CreatedScimToken } from '../../server/src/scim/token.ts';
import { collectRoutes } from '../http/support/routes.ts';
import { idOf, makeToken } from '../support/project.ts';
import { assertError, json } from '../support/service.ts';
import {
  assertScimError,
  type Directory,
  ENTERPRISE,
  GROUP,
  makeGroup,
  makeUser,
  patch,
  scimOf,
  startDirectory,
  USER,
} from './support/directory.ts';

const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';

const filtered = ({ scim }: Directory, kind: string, filter: string, more = '') =>
  scim('GET', `/${kind}?filter=${encodeURIComponent(filter)}${more}`);

/** The userNames that a filter finds, or the code with which it is refused. */
async function found(directory: Directory, filter: string): Promise<string[] | string> {
  const { status, body } = await filtered(directory, 'Users', filter, '&sortBy=userName');
  if (status !== 200) return body.scimType;
  return body.Resources.map(({ userName }: { userName: string }) => userName.replace(/@.*/, ''));
}

onBothEngines('filters have the whole grammar, whatever the store looks up', async (t) => {
  const directory = await startDirectory(t);
  await makeUser(directory, 'ann@x.example', {
    ...{ externalId: 'E1', title: 'Writer', displayName: 'Ann Lee', active: true },
    emails: [
      { value: 'ann@x.example', type: 'work', primary: true },
      { value: 'Ann_100%@home.example', type: 'home' },
    ],
    [ENTERPRISE]: { department: 'Docs' },
  });
  await makeUser(directory, 'bob@x.example', { externalId: 'e1', title: 'Editor', active: false });
  await makeUser(directory, 'юля@x.example', { displayName: 'Юля' });
  const cases: readonly (readonly [string, string[] | string])[] = [
    ['userName eq "ANN@X.example"', ['ann']],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "ann"', ['ann']],
    ['userName eq "ЮЛЯ@x.example"', ['юля']],
    ['displayName eq "юля"', ['юля']],
    // The one attribute of these that tells case apart.
    ['externalId eq "E1"', ['ann']],
    ['externalId eq "e1" and active eq true', []],
    ['title pr', ['ann', 'bob']],
    ['not (title pr) and userName ne "root@example.com"', ['юля']],
    ['title eq "writer" or title eq "editor"', ['ann', 'bob']],
    ['title eq "writer" or title eq "editor" and active eq true', ['ann']],
    ['(title eq "writer" or title eq "editor") and active eq "False"', ['bob']],
    ['emails.value co "HOME"', ['ann']],
    ['emails eq "ann_100%@home.example"', ['ann']],
    ['emails[type eq "home" and value ew ".example"]', ['ann']],
    ['emails[type eq "home" and primary eq true]', []],
    ['emails[type eq "work"].value eq "bob@x.example"', ['bob']],
    [`${ENTERPRISE}:department eq "docs"`, ['ann']],
    ['meta.created gt "2020-01-01T00:00:00+02:00" and title pr', ['ann', 'bob']],
    ['meta.lastModified lt "2020-01-01T00:00:00Z"', []],
    ['title gt "F"', ['ann']],
    ['nickName eq null and title eq "Writer"', ['ann']],
    ['title ne "Writer" and title pr', ['bob']],
    ['USERNAME EQ "ann@x.example" AND TITLE PR', ['ann']],
    ['userName eq "a\\"b"', []],
    ['userName', 'invalidFilter'],
    ['userName eq', 'invalidFilter'],
    ['userName eq ann', 'invalidFilter'],
    ['userName zz "a"', 'invalidFilter'],
    ['(userName pr', 'invalidFilter'],
    ['userName pr)', 'invalidFilter'],
    ['userName pr and', 'invalidFilter'],
    ['emails[type eq "work"', 'invalidFilter'],
    ['userName eq "a', 'invalidFilter'],
    ['password pr', 'invalidFilter'],
    ['active gt true', 'invalidFilter'],
    ['name eq "Ann"', 'invalidFilter'],
    ['__proto__ pr', 'invalidFilter'],
    ['meta.created gt "soon"', 'invalidFilter'],
    [`${'('.repeat(60)}userName pr${')'.repeat(60)}`, 'invalidFilter'],
    [`${'not ('.repeat(60)}userName pr${')'.repeat(60)}`, 'invalidFilter'],
  ];
  for (const [filter, expected] of cases)
    assert.deepEqual(await found(directory, filter), expected, filter);
  const many = Array.from({ length: 150 }, (_, at) => `title eq "t${at}"`).join(' or ');
  assert.deepEqual(await found(directory, `${many} or title eq "Writer"`), ['ann']);
});

onBothEngines(
  'lists are pages, sorted and cut as asked, and search takes the same in a body',
  async (t) => {
    const directory = await startDirectory(t);
    const { scim } = directory;
    const ids: string[] = [];
    for (const name of ['carl', 'Ann', 'bob'])
      ids.push(await makeUser(directory, `${name}@x.example`, { title: `${name} t` }));
    await makeGroup(directory, 'Zoo', [ids[0] ?? '']);
    await makeGroup(directory, 'apes');
    const names = ({
      body,
    }: {
      body: { Resources: { userName?: string; displayName?: string }[] };
    }) =>
      body.Resources.map(({ userName, displayName }) =>
        (userName ?? displayName)?.replace(/@.*/, ''),
      );

    const first = await scim('GET', '/Users?sortBy=userName&startIndex=1&count=2');
    assert.deepEqual(
      [names(first), first.body.totalResults, first.body.itemsPerPage],
      [['Ann', 'bob'], 4, 2],
    );
    const last = await scim(
      'GET',
      '/Users?sortBy=userName&sortOrder=descending&startIndex=4&count=50',
    );
    assert.deepEqual([names(last), last.body.startIndex], [['Ann'], 4]);
    // In the order in which they were made, unless asked otherwise; out of range is empty.
    assert.deepEqual(names(await scim('GET', '/Users?startIndex=2&count=1')), ['carl']);
    assert.deepEqual(names(await scim('GET', '/Users?startIndex=0&count=1')), ['root']);
    assert.deepEqual(names(await scim('GET', '/Users?startIndex=99')), []);
    const none = await scim('GET', '/Users?count=0');
    assert.deepEqual([none.body.totalResults, none.body.Resources], [4, []]);
    assert.equal((await scim('GET', '/Users?count=-5')).body.itemsPerPage, 0);
    for (const wrong of [
      'count=x',
      'startIndex=1e3',
      'sortOrder=up',
      'sortBy=name',
      'sortBy=nothing',
      'filter=title+pr&filter=title+pr',
    ])
      assertScimError(await scim('GET', `/Users?${wrong}`), 400, 'invalidValue');

    const cut = await scim(
      'GET',
      '/Users?attributes=userName,meta.created&sortBy=userName&count=1',
    );
    assert.deepEqual(Object.keys(cut.body.Resources[0]).sort(), [
      'id',
      'meta',
      'schemas',
      'userName',
    ]);
    assert.deepEqual(Object.keys(cut.body.Resources[0].meta), ['created']);
    const without = await scim('GET', `/Users/${ids[0]}?excludedAttributes=emails,meta,id`);
    assert.deepEqual(
      [without.body.emails, without.body.meta, without.body.id],
      [undefined, undefined, ids[0]],
    );

    const search = {
      schemas: [SEARCH],
      filter: 'title pr',
      sortBy: 'userName',
      sortOrder: 'descending',
      count: 2,
      attributes: ['userName'],
    };
    assert.deepEqual(names(await scim('POST', '/Users/.search', search)), ['carl', 'bob']);
    assert.deepEqual(
      names(await scim('POST', '/Groups/.search', { schemas: [SEARCH], sortBy: 'displayName' })),
      ['apes', 'Zoo'],
    );
    const both = await scim('POST', '/.search', {
      schemas: [SEARCH],
      filter: 'displayName sw "z" or displayName sw "ann"',
    });
    assert.deepEqual(names(both), ['Ann', 'Zoo']);
    assert.deepEqual(names(await filtered(directory, 'Groups', `members.value eq "${ids[0]}"`)), [
      'Zoo',
    ]);
    assert.deepEqual(
      names(
        await filtered(directory, 'Groups', `members[value eq "${ids[0]}"] and displayName pr`),
      ),
      ['Zoo'],
    );
    assert.deepEqual(names(await filtered(directory, 'Groups', 'not (members pr)')), ['apes']);
    const [{ groups }] = (await filtered(directory, 'Users', 'userName sw "carl"')).body.Resources;
    assert.deepEqual(
      groups.map(({ display }: { display: string }) => display),
      ['Zoo'],
    );
  },
);

/** What anybody may read. */
const OPEN = /\/(ServiceProviderConfig|ResourceTypes|Schemas)(\/:id)?$/;

test('what SCIM can do is for anybody to read; everything else needs a token of its own', async (t) => {
  const routes = collectRoutes();
  const directory = await startDirectory(t);
  const { service, root, token } = directory;
  const open = scimOf(token.url, undefined);
  const config = (await open('GET', '/ServiceProviderConfig')).body;
  assert.deepEqual(
    [config.patch, config.bulk.supported, config.filter, config.etag, config.sort].map(
      (each) => each.supported ?? each,
    ),
    [true, false, true, true, true],
  );
  const types = (await open('GET', '/ResourceTypes')).body.Resources;
  assert.deepEqual(
    types.map(({ endpoint }: { endpoint: string }) => endpoint),
    ['/Users', '/Groups'],
  );
  const schemas = (await open('GET', '/Schemas')).body.Resources;
  assert.deepEqual(
    schemas.map(({ id }: { id: string }) => id),
    [USER, ENTERPRISE, GROUP],
  );
  assert.equal((await open('GET', `/Schemas/${USER}`)).body.name, 'User');
  assert.equal((await open('GET', '/ResourceTypes/Group')).body.schema, GROUP);
  assertScimError(await open('GET', '/Schemas?filter=name+eq+"User"'), 403);
  assertScimError(await open('GET', '/Schemas/nothing'), 404);

  const apiToken = (await makeToken(root, undefined, ['read', 'installation'])).token;
  const other = await root.call('POST', '/api/installation/scim-tokens', { name: 'Okta' });
  const ended = await json<CreatedScimToken>(other, 201);
  assert.equal((await scimOf(ended.url, ended.token)('GET', '/Users')).status, 200);
  await root.call('DELETE', `/api/installation/scim-tokens/${ended.id}`);
  const guarded = routes()
    .filter(
      (route) => / \/scim\/v2\//.test(route) && !OPEN.test(route) && !route.startsWith('HEAD'),
    )
    .map((route) =>
      route.replace('* ', 'GET ').replace(':id', 'some').replace('/scim/v2', '').split(' '),
    );
  assert.ok(guarded.length >= 15);
  for (const wrong of [undefined, 'scim_wrong', apiToken, `${token.token}x`, ended.token]) {
    for (const [method = '', path = ''] of guarded) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      const refused = await scimOf(token.url, wrong)(method, path, body);
      assertScimError(refused, 401);
      assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
    }
  }
  // A session is no token, and the other way round.
  const bySession = await root.call('GET', '/scim/v2/Users');
  assert.equal(bySession.status, 401);
  const asApi = service.visitor().withToken(token.token);
  await assertError(await asApi.call('GET', '/api/installation/groups'), 401, 'unauthorized');
  const { scim } = directory;
  assertScimError(await scim('POST', '/Bulk', {}), 501);
  assertScimError(await scim('GET', '/Me'), 501);
  assertScimError(await scim('GET', '/Nothing'), 404);
  assertScimError(await scim('POST', '/Users', '{', {}), 400, 'invalidSyntax');
  assertScimError(await scim('POST', '/Users', '[]', {}), 400, 'invalidSyntax');
  assertScimError(await scim('POST', '/Users', 'x', { 'content-type': 'text/plain' }), 415);
  // Some directories send plain JSON.
  const plain = { 'content-type': 'application/json' };
  assert.equal((await scim('POST', '/Users', { userName: 'p@x.example' }, plain)).status, 201);
});

onBothEngines(
  'entity tags guard changes, and changes of one group come one after the other',
  async (t) => {
    const directory = await startDirectory(t);
    const { scim } = directory;
    const id = await makeUser(directory, 'ann@x.example');
    const { version } = (await scim('GET', `/Users/${id}`)).body.meta;
    assert.equal(
      (await scim('GET', `/Users/${id}`, undefined, { 'if-none-match': version })).status,
      304,
    );
    const title = (value: string) => patch({ op: 'replace', path: 'title', value });
    const changed = await scim('PATCH', `/Users/${id}`, title('A'), { 'if-match': version });
    assert.notEqual(changed.body.meta.version, version);
    assertScimError(await scim('PATCH', `/Users/${id}`, title('B'), { 'if-match': version }), 412);
    assertScimError(await scim('DELETE', `/Users/${id}`, undefined, { 'if-match': version }), 412);
    assert.equal(
      (await scim('PATCH', `/Users/${id}`, title('C'), { 'if-match': '*' })).status,
      200,
    );

    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, at) => makeUser(directory, `u${at}@x.example`)),
    );
    const group = await makeGroup(directory, 'Everyone');
    const before = (await scim('GET', `/Groups/${group}`)).body.meta.version;
    const add = (value: string) => patch({ op: 'add', path: 'members', value: [{ value }] });
    const answers = await Promise.all(
      ids.map((each) => scim('PATCH', `/Groups/${group}`, add(each))),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal((await scim('GET', `/Groups/${group}`)).body.members.length, 12);
    assertScimError(await scim('PATCH', `/Groups/${group}`, add(id), { 'if-match': before }), 412);
    await Promise.all([
      ...ids
        .slice(0, 6)
        .map((each) =>
          scim(
            'PATCH',
            `/Groups/${group}`,
            patch({ op: 'remove', path: `members[value eq "${each}"]` }),
          ),
        ),
      ...ids.slice(6).map((each) => scim('DELETE', `/Users/${each}`)),
    ]);
    assert.deepEqual((await scim('GET', `/Groups/${group}`)).body.members, []);
  },
);

onBothEngines('patches that make no sense change nothing and say why', async (t) => {
  const directory = await startDirectory(t);
  const { scim } = directory;
  const id = await makeUser(directory, 'ann@x.example', {
    title: 'Writer',
    emails: [{ value: 'ann@x.example', type: 'work' }],
  });
  const group = await makeGroup(directory, 'Everyone', [id]);
  const cases: readonly (readonly [unknown, number, string])[] = [
    [{}, 400, 'invalidSyntax'],
    [patch(), 400, 'invalidSyntax'],
    [patch({ op: 'move', path: 'title', value: 'x' }), 400, 'invalidSyntax'],
    [patch({ op: 'remove' }), 400, 'noTarget'],
    [patch({ op: 'replace', value: 'x' }), 400, 'invalidSyntax'],
    [patch({ op: 'replace', path: 'nothing', value: 'x' }), 400, 'invalidPath'],
    [patch({ op: 'replace', path: 'emails[', value: 'x' }), 400, 'invalidPath'],
    [patch({ op: 'replace', path: 'a'.repeat(9_000), value: 'x' }), 400, 'invalidPath'],
    [
      patch({
        op: 'replace',
        path: `emails[${'('.repeat(60)}value pr${')'.repeat(60)}]`,
        value: 'x',
      }),
      400,
      'invalidPath',
    ],
    [patch({ op: 'replace', path: 'id', value: 'x' }), 400, 'mutability'],
    [patch({ op: 'replace', path: 'groups', value: [] }), 400, 'mutability'],
    [patch({ op: 'remove', path: 'userName' }), 400, 'invalidValue'],
    [patch({ op: 'replace', path: 'active', value: 'maybe' }), 400, 'invalidValue'],
    [patch({ op: 'replace', path: 'title', value: 7 }), 400, 'invalidValue'],
    [patch({ op: 'replace', path: 'title', value: 'x\0' }), 400, 'invalidValue'],
    [patch({ op: 'replace', path: 'title', value: 'x'.repeat(1_001) }), 400, 'invalidValue'],
    [patch({ op: 'replace', path: 'name', value: 'x' }), 400, 'invalidValue'],
    [
      patch({ op: 'replace', path: 'emails[type sw "o"].value', value: 'x@x.example' }),
      400,
      'noTarget',
    ],
    [
      patch({ op: 'replace', path: 'emails[type eq "work"].value', value: 'nobody' }),
      400,
      'invalidValue',
    ],
    [patch({ op: 'replace', path: 'userName', value: 'root@example.com' }), 409, 'uniqueness'],
    [
      patch(
        { op: 'replace', path: 'title', value: 'Good' },
        { op: 'replace', path: 'nothing', value: 1 },
      ),
      400,
      'invalidPath',
    ],
    [patch(...Array(10_000).fill({ op: 'replace', path: 'title', value: 'x' })), 413, 'tooMany'],
  ];
  for (const [body, status, scimType] of cases)
    assertScimError(await scim('PATCH', `/Users/${id}`, body), status, scimType);
  assert.equal((await scim('GET', `/Users/${id}`)).body.title, 'Writer');
  for (const value of [
    [{ value: 'usr_nobody' }],
    [{ value: group }],
    [{ display: 'x' }, { value: 7 }],
  ]) {
    assertScimError(
      await scim('PATCH', `/Groups/${group}`, patch({ op: 'add', path: 'members', value })),
      400,
      'invalidValue',
    );
  }
  assert.equal((await scim('GET', `/Groups/${group}`)).body.members.length, 1);
  assertScimError(await scim('POST', '/Users', { userName: 'jdoe' }), 400, 'invalidValue');
  assertScimError(await scim('POST', '/Users', { active: true }), 400, 'invalidValue');
  assertScimError(await scim('POST', '/Groups', { displayName: ' ' }), 400, 'invalidValue');
  // What is too large or too deep is refused before it costs anything.
  const megabyte = { filter: `title eq "${'x'.repeat(1_000_000)}"` };
  assertScimError(await scim('POST', '/Users/.search', megabyte), 400, 'invalidFilter');
  assertScimError(await scim('POST', '/Users', `{"userName":"${'x'.repeat(5_000_000)}"}`), 413);
  const deep = `{"userName":"deep@x.example","name":${'{"formatted":'.repeat(50_000)}1${'}'.repeat(50_000)}}`;
  assertScimError(await scim('POST', '/Users', deep), 400, 'invalidValue');
  assertScimError(await scim('POST', '/Users', '['.repeat(1_000_000)), 400, 'invalidSyntax');
  // No part of a body becomes a part of the program.
  const odd =
    '{"userName":"odd@x.example","__proto__":{"active":false},"constructor":{"prototype":{"x":1}},"name":{"__proto__":{"formatted":"x"}}}';
  const made = await scim('POST', '/Users', odd);
  assert.deepEqual(
    [made.status, made.body.active, ({} as { x?: number }).x],
    [201, true, undefined],
  );
});

onBothEngines(
  "userNames are the same in any case, and nobody takes over the owner's account",
  async (t) => {
    const directory = await startDirectory(t);
    const { scim, service, root } = directory;
    const one = await makeUser(directory, 'Ann@X.example');
    assertScimError(await scim('POST', '/Users', { userName: 'aNN@x.EXAMPLE' }), 409, 'uniqueness');
    assertScimError(
      await scim('POST', '/Users', { userName: 'other', emails: [{ value: 'ANN@x.example' }] }),
      409,
      'uniqueness',
    );
    const races = await Promise.all(
      ['R@x.example', 'r@x.example', 'R@X.EXAMPLE'].map((userName) =>
        scim('POST', '/Users', { userName }),
      ),
    );
    assert.deepEqual(races.map(({ status }) => status).sort(), [201, 409, 409]);
    // A userName that is no address is fine where there is one; the account has the address.
    const jdoe = await makeUser(directory, 'jdoe', {
      emails: [{ value: 'J.Doe@x.example', type: 'work' }],
    });
    assert.equal((await scim('GET', `/Users/${jdoe}`)).body.userName, 'jdoe');
    // Nobody gets another one's userName by the address either.
    assertScimError(
      await scim(
        'PATCH',
        `/Users/${jdoe}`,
        patch({ op: 'replace', path: 'userName', value: 'ann@x.example' }),
      ),
      409,
      'uniqueness',
    );

    const rootId = await idOf(root);
    for (const body of [
      patch({ op: 'replace', path: 'active', value: false }),
      patch({ op: 'replace', value: { active: 'False' } }),
      patch({ op: 'replace', path: 'emails[type eq "work"].value', value: 'thief@x.example' }),
      patch(
        { op: 'replace', path: 'userName', value: 'thief@x.example' },
        { op: 'remove', path: 'emails' },
      ),
    ]) {
      const refused = await scim('PATCH', `/Users/${rootId}`, body);
      assert.match(assertScimError(refused, 409), /root@example.com owns the installation/);
    }
    assertScimError(await scim('PUT', `/Users/${rootId}`, { userName: 'thief@x.example' }), 409);
    assertScimError(await scim('DELETE', `/Users/${rootId}`), 409);
    const renamed = await scim(
      'PATCH',
      `/Users/${rootId}`,
      patch({ op: 'replace', path: 'displayName', value: 'Ro Ot' }),
    );
    assert.equal(renamed.status, 200);
    assert.equal(await idOf(root), rootId);
    assert.equal((await scim('GET', `/Users/${one}`)).body.userName, 'Ann@X.example');
    // An account of a directory has no password, until its owner asks for one.
    const signIn = { email: 'ann@x.example', password: '!' };
    await assertError(
      await service.visitor().call('POST', '/api/session', signIn),
      401,
      'unauthorized',
    );
  },
);

test('5,000 users and 500 groups are in step in reasonable time', async (t) => {
  const directory = await startDirectory(t);
  const { scim, service } = directory;
  const users = 5_000;
  await service.db.transaction().execute(async (trx) => {
    for (let at = 0; at < users; at += 500) {
      const rows = Array.from({ length: 500 }, (_, each) => ({
        ...{ id: `usr_${at + each}`, email: `u${at + each}@x.example`, name: `User ${at + each}` },
        ...{ password_hash: '!', role: 'user' as const, created_at: at + each },
      }));
      await trx
        .insertInto('users')
        .values(rows as never)
        .execute();
    }
  });
  const began = performance.now();
  for (let at = 0; at < 500; at++) {
    const members = Array.from({ length: 20 }, (_, each) => `usr_${(at * 10 + each) % users}`);
    await makeGroup(directory, `Group ${at}`, members);
  }
  const everyone = await makeGroup(
    directory,
    'Everyone',
    Array.from({ length: users }, (_, at) => `usr_${at}`),
  );
  const ms = (performance.now() - began) / 501;
  t.diagnostic(`${ms.toFixed(1)} ms for a group`);
  const look = performance.now();
  for (let at = 0; at < 100; at++) {
    const [hit] = (await filtered(directory, 'Users', `userName eq "U${at * 7}@x.example"`)).body
      .Resources;
    assert.equal(hit.id, `usr_${at * 7}`);
  }
  t.diagnostic(`${((performance.now() - look) / 100).toFixed(1)} ms to find a user`);
  const one = performance.now();
  const change = patch(
    { op: 'remove', path: 'members[value eq "usr_7"]' },
    { op: 'add', path: 'members', value: [{ value: 'usr_7' }] },
  );
  for (let at = 0; at < 10; at++) {
    assert.equal(
      (await scim('PATCH', `/Groups/${everyone}?excludedAttributes=members`, change)).status,
      200,
    );
  }
  t.diagnostic(`${((performance.now() - one) / 10).toFixed(1)} ms to change a group of 5,000`);
  const whole = performance.now();
  const { body } = await filtered(directory, 'Users', 'displayName co "49" and groups.display pr');
  t.diagnostic(
    `${(performance.now() - whole).toFixed(1)} ms to search all users: ${body.totalResults}`,
  );
  assert.ok(body.totalResults > 100);
  const names = new Set<string>();
  for (let startIndex = 1; ; startIndex += 200) {
    const page = await scim(
      'GET',
      `/Users?startIndex=${startIndex}&count=1000&attributes=userName`,
    );
    for (const { userName } of page.body.Resources) names.add(userName);
    if (page.body.itemsPerPage < 200) break;
  }
  assert.equal(names.size, users + 1);
});
