import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { Visitor as Seen, Session } from '../../server/src/accounts/account.ts';
import type { AuthenticatorAppDraft } from '../../server/src/accounts/factors/factor.ts';
import { makeTotpSecret, stepOfCode } from '../../server/src/accounts/factors/totp.ts';
import { NO_PASSWORD } from '../../server/src/accounts/passwords.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import { until } from '../notices/support/delivery.ts';
import { startMailServer } from '../notices/support/mail-server.ts';
import { makeToken } from '../support/project.ts';
import {
  assertError,
  json,
  PASSWORD,
  type Service,
  startService,
  type Visitor,
  visitorOf,
} from '../support/service.ts';
import {
  addApp,
  addPasskey,
  answerWith,
  codeOf,
  factorsOf,
  optionsOf,
  statusOf,
  withPassword,
  wrongCode,
} from './support/factors.ts';
import { SoftwarePasskey } from './support/software-passkey.ts';

const ROOT = 'root@example.com';
const ANN = 'ann@example.com';
const STEP_MS = 30_000;

/** Where passkeys work: a dashboard with a name, over TLS that ends elsewhere. */
const NAMED = { publicUrl: 'https://docs.example.test', signUp: 'open' } as const;
/** What a browser there sends. */
const there = (visitor: Visitor): Visitor => ({
  ...visitor,
  call: (method, path, body, headers = {}) =>
    visitor.call(method, path, body, { origin: NAMED.publicUrl, ...headers }),
});

/** The service at a name, whose visitors are there. */
async function startNamed(t: Parameters<typeof startService>[0], now = Date.now) {
  const service = await startService(t, NAMED, { now });
  // The program sees plain HTTP on a port of its own.
  const origin = `http://127.0.0.1:${new URL(service.localUrl).port}`;
  const named: Service = {
    ...service,
    visitor: () => there(visitorOf(origin)),
    async signUp(email) {
      const someone = named.visitor();
      const account = { email, password: PASSWORD, name: 'Ann' };
      assert.equal((await someone.call('POST', '/api/sign-up', account)).status, 202);
      await json(await someone.call('POST', '/api/session', { email, password: PASSWORD }));
      return someone;
    },
  };
  return named;
}

const passkeyHere = (options = {}) => new SoftwarePasskey(NAMED.publicUrl, options);

const finish = (visitor: Visitor, way: string, code: string, headers = {}) =>
  visitor.call('POST', `/api/session/second-factor/${way}`, { code }, headers);

async function auditOf(root: Visitor, action: string): Promise<AuditEntry[]> {
  const { items } = await json<{ items: AuditEntry[] }>(await root.call('GET', '/api/audit'));
  return items.filter((entry) => entry.action === action);
}

test('codes are those of RFC 6238, one step before or after, and nothing else', () => {
  // The secret and the times of the RFC's appendix B; six digits are the last of its eight.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [20_000_000_000, '353130'],
  ] as const) {
    const step = Math.floor(seconds / 30);
    assert.equal(stepOfCode(secret, code, seconds * 1_000), step);
    assert.equal(
      stepOfCode(secret, ` ${code.slice(0, 3)} ${code.slice(3)}`, seconds * 1_000),
      step,
    );
    assert.equal(stepOfCode(secret, code, seconds * 1_000 + STEP_MS), step);
    assert.equal(stepOfCode(secret, code, seconds * 1_000 + 2 * STEP_MS), undefined);
    // The first one is less than two steps after 1970.
    if (step < 3) continue;
    assert.equal(stepOfCode(secret, code, seconds * 1_000 - STEP_MS), step);
    assert.equal(stepOfCode(secret, code, seconds * 1_000 - 2 * STEP_MS), undefined);
  }
  for (const other of ['', '12345', '1234567', '28708२', 'abcdef', '-87082']) {
    assert.equal(stepOfCode(secret, other, 59_000), undefined, other);
  }
  assert.match(makeTotpSecret(), /^[A-Z2-7]{32}$/);
});

onBothEngines('whoever has an app is asked for a code, which works once', async (t) => {
  let clock = Date.now();
  const service = await startService(t, {}, { now: () => clock });
  const root = await service.signUp(ROOT);
  const { secret, recoveryCodes } = await addApp(root, clock);
  assert.equal(recoveryCodes?.length, 10);
  assert.equal(new Set(recoveryCodes).size, 10);
  const { sealed_secret } = await service.db
    .selectFrom('authenticator_apps')
    .selectAll()
    .executeTakeFirstOrThrow();
  assert.ok(!sealed_secret.includes(secret));

  const half = await withPassword(service, ROOT);
  assert.equal(await statusOf(half), 401);
  const { user, pending } = await json<Seen>(await half.call('GET', '/api/visitor'));
  assert.equal(user, null);
  assert.deepEqual([pending?.next, pending?.ways], ['second_factor', ['code', 'recovery_code']]);
  // The code of the set-up was its first use.
  const used = await finish(half, 'code', codeOf(secret, clock));
  assert.match(await assertError(used, 401, 'unauthorized'), /used already/);
  assert.equal(await statusOf(half), 401);
  clock += STEP_MS;
  await assertError(await finish(half, 'code', wrongCode(secret, clock)), 401, 'unauthorized');
  await json(await finish(half, 'code', codeOf(secret, clock)));
  assert.equal(await statusOf(half), 200);
  // The sign-in under way is over, and so is its cookie.
  await assertError(
    await finish(half, 'code', codeOf(secret, clock + STEP_MS)),
    401,
    'unauthorized',
  );

  const { items } = await json<{ items: Session[] }>(
    await half.call('GET', '/api/account/sessions'),
  );
  assert.deepEqual(items.map(({ method }) => method).sort(), ['password', 'password+code']);

  // Two browsers with the same code at the same time: one gets in.
  clock += STEP_MS;
  const code = codeOf(secret, clock);
  const two = await Promise.all([withPassword(service, ROOT), withPassword(service, ROOT)]);
  const answers = await Promise.all(two.map((visitor) => finish(visitor, 'code', code)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
});

onBothEngines('a recovery code signs in once, and new ones end the others', async (t) => {
  const clock = Date.now();
  const service = await startService(t, {}, { now: () => clock });
  const root = await service.signUp(ROOT);
  const { recoveryCodes } = await addApp(root, clock);
  const [first = '', second = '', third = ''] = recoveryCodes ?? [];
  const stored = await service.db.selectFrom('recovery_codes').select('code_hash').execute();
  assert.ok(stored.every(({ code_hash }) => /^[0-9a-f]{64}$/.test(code_hash)));

  const two = await Promise.all([withPassword(service, ROOT), withPassword(service, ROOT)]);
  const answers = await Promise.all(two.map((half) => finish(half, 'recovery-code', first)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
  assert.equal((await factorsOf(root)).recoveryCodes?.left, 9);

  // However it is typed.
  const typed = second.toUpperCase().replaceAll('-', ' ').replaceAll('O', '0').replaceAll('L', '1');
  await json(await finish(await withPassword(service, ROOT), 'recovery-code', typed));
  const made = await root.call('POST', '/api/account/recovery-codes');
  const { codes } = await json<{ codes: string[] }>(made, 201);
  assert.equal((await factorsOf(root)).recoveryCodes?.left, 10);
  const half = await withPassword(service, ROOT);
  await assertError(await finish(half, 'recovery-code', third), 401, 'unauthorized');
  await json(await finish(half, 'recovery-code', codes[0] ?? ''));

  // Without a factor nothing stands for one.
  assert.equal((await root.call('DELETE', '/api/account/authenticator-app')).status, 204);
  assert.equal((await factorsOf(root)).recoveryCodes, null);
  await assertError(await root.call('POST', '/api/account/recovery-codes'), 409, 'conflict');
  await withPassword(service, ROOT, { status: 200 });
});

onBothEngines('guesses are limited for an account from wherever they come, and told', async (t) => {
  let clock = Date.now();
  const service = await startService(t, { trustedProxies: ['127.0.0.1'] }, { now: () => clock });
  const root = await service.signUp(ROOT);
  const { secret, recoveryCodes } = await addApp(root, clock);
  const from = (ip: string) => ({ 'x-forwarded-for': ip });
  const guess = async (ip: string) => {
    const half = await withPassword(service, ROOT, { headers: from(ip) });
    return finish(half, 'code', wrongCode(secret, clock), from(ip));
  };
  // From one place five times.
  for (let at = 0; at < 5; at++) assert.equal((await guess('10.0.0.1')).status, 401);
  const refused = await guess('10.0.0.1');
  assert.match(await assertError(refused, 429, 'rate_limited'), /Try|try again in 15 minutes/);
  // From a hundred places at once ten times in all; the refused one did not count for the account.
  const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => guess(`10.1.${at}.1`)));
  assert.equal(answers.filter(({ status }) => status === 401).length, 5);
  clock += STEP_MS;
  const right = await withPassword(service, ROOT, { headers: from('10.2.0.1') });
  await assertError(
    await finish(right, 'code', codeOf(secret, clock), from('10.2.0.1')),
    429,
    'rate_limited',
  );
  assert.notEqual((await factorsOf(root)).guessedAt, null);
  assert.equal((await auditOf(root, 'factor.guessing')).length, 1);
  // Who has the account has another way in meanwhile.
  await json(await finish(right, 'recovery-code', recoveryCodes?.[0] ?? '', from('10.2.0.1')));
  assert.equal((await root.call('DELETE', '/api/account/factors/guessing')).status, 204);
  assert.equal((await factorsOf(root)).guessedAt, null);
  clock += 60 * 60_000;
  const later = await withPassword(service, ROOT, { headers: from('10.0.0.1') });
  await json(await finish(later, 'code', codeOf(secret, clock), from('10.0.0.1')));
});

onBothEngines('a passkey signs in alone, or after the password, and has a name', async (t) => {
  const service = await startNamed(t);
  const root = await service.signUp(ROOT);
  const synced = passkeyHere({ isSynced: true });
  const key = passkeyHere();
  assert.equal((await addPasskey(root, synced))?.length, 10);
  // The codes are there already.
  assert.equal(await addPasskey(root, key), null);
  const [first, second] = (await factorsOf(root)).passkeys;
  assert.deepEqual(
    [first, second].map((found) => [found?.name, found?.isSynced, found?.isUsable, found?.host]),
    [
      ['Passkey', true, true, 'docs.example.test'],
      ['Passkey 2', false, true, 'docs.example.test'],
    ],
  );
  const renamed = await root.call('PATCH', `/api/account/passkeys/${second?.id}`, {
    name: 'YubiKey',
  });
  assert.equal(renamed.status, 204);
  const again = await root.call('POST', '/api/account/passkeys', {
    ...synced.create(await optionsOf(root, '/account/passkeys')),
  });
  await assertError(again, 409, 'conflict');

  const alone = service.visitor();
  await json(await answerWith(alone, '/session/passkey', synced));
  const after = await withPassword(service, ROOT);
  // A plain key that does not check its holder is enough after the password, and not without.
  await json(await answerWith(after, '/session/second-factor/passkey', key, { isVerified: false }));
  const unverified = service.visitor();
  const refused = await answerWith(unverified, '/session/passkey', key, { isVerified: false });
  assert.match(await assertError(refused, 401, 'unauthorized'), /[Uu]ser verification/);
  const { items } = await json<{ items: Session[] }>(
    await root.call('GET', '/api/account/sessions'),
  );
  assert.deepEqual(items.map(({ method }) => method).sort(), [
    'passkey',
    'password',
    'password+passkey',
  ]);
  const used = (await factorsOf(root)).passkeys;
  assert.ok(used.every(({ lastUsedAt }) => lastUsedAt !== null));

  // With the last of them the question ends, and the recovery codes.
  for (const { id } of used) {
    assert.equal((await root.call('DELETE', `/api/account/passkeys/${id}`)).status, 204);
  }
  const gone = await answerWith(service.visitor(), '/session/passkey', synced);
  assert.match(await assertError(gone, 401, 'unauthorized'), /not known/);
  await withPassword(service, ROOT, { status: 200 });
  assert.deepEqual(
    (await auditOf(root, 'passkey.remove')).map(({ target }) => target),
    ['YubiKey', 'Passkey'],
  );
});

onBothEngines('what a passkey signed is good once, for its browser, origin and user', async (t) => {
  const service = await startNamed(t);
  const root = await service.signUp(ROOT);
  const ann = await service.signUp(ANN);
  const passkey = passkeyHere();
  const other = passkeyHere();
  await addPasskey(root, passkey);
  await addPasskey(ann, other);
  const PATH = '/session/passkey';

  // Replayed, in the same browser and in another one.
  const victim = service.visitor();
  const options = await optionsOf(victim, PATH);
  const thief = service.visitor();
  await optionsOf(thief, PATH);
  const signed = passkey.get(options);
  await assertError(await thief.call('POST', `/api${PATH}`, signed), 401, 'unauthorized');
  await json(await victim.call('POST', `/api${PATH}`, signed));
  await assertError(await victim.call('POST', `/api${PATH}`, signed), 401, 'unauthorized');

  // At the same time in one browser.
  const busy = service.visitor();
  const once = passkey.get(await optionsOf(busy, PATH));
  const both = await Promise.all([0, 1].map(() => busy.call('POST', `/api${PATH}`, once)));
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401]);

  for (const [lies, why] of [
    [{ origin: 'https://docs.example.test.evil.test' }, /origin/],
    [{ origin: 'http://docs.example.test' }, /origin/],
    [{ rpId: 'evil.test' }, /RP ID/],
    [{ crossOrigin: true }, /origin/],
    [{ userHandle: Buffer.from('usr_somebodyelse').toString('base64url') }, /not known/],
  ] as const) {
    const answer = await answerWith(service.visitor(), PATH, passkey, lies);
    assert.match(await assertError(answer, 401, 'unauthorized'), why);
  }

  // Somebody else's passkey after a known password, and a challenge that was given out for something else.
  const half = await withPassword(service, ROOT);
  const SECOND = '/session/second-factor/passkey';
  await assertError(await answerWith(half, SECOND, other), 401, 'unauthorized');
  const forSignIn = passkey.get(await optionsOf(half, PATH));
  await assertError(await half.call('POST', `/api${SECOND}`, forSignIn), 401, 'unauthorized');
  const forSecond = passkey.get(await optionsOf(half, SECOND), { isVerified: true });
  await assertError(await half.call('POST', `/api${PATH}`, forSecond), 401, 'unauthorized');
  const toCreate = await optionsOf(root, '/account/passkeys');
  await assertError(
    await ann.call('POST', '/api/account/passkeys', passkeyHere().create(toCreate)),
    401,
    'unauthorized',
  );
  const elsewhere = await optionsOf(root, '/account/passkeys');
  await assertError(
    await root.call(
      'POST',
      '/api/account/passkeys',
      passkeyHere().create(elsewhere, { origin: 'https://evil.test' }),
    ),
    400,
    'invalid_request',
  );
  assert.equal(await statusOf(half), 401);
  await json(await answerWith(half, SECOND, passkey));
});

onBothEngines('a passkey whose counter goes back is refused, and its user is told', async (t) => {
  const service = await startNamed(t);
  const root = await service.signUp(ROOT);
  const passkey = passkeyHere();
  await addPasskey(root, passkey);
  await json(await answerWith(service.visitor(), '/session/passkey', passkey, { counter: 7 }));
  for (const counter of [7, 3, 0]) {
    const answer = await answerWith(service.visitor(), '/session/passkey', passkey, { counter });
    assert.match(await assertError(answer, 401, 'unauthorized'), /copy of it may exist/);
  }
  const [seen] = (await factorsOf(root)).passkeys;
  assert.notEqual(seen?.refusedAt, null);
  assert.equal((await auditOf(root, 'passkey.refuse')).length, 3);
  await json(await answerWith(service.visitor(), '/session/passkey', passkey, { counter: 8 }));
});

onBothEngines(
  'where a second factor is required, whoever has none sets one up and does nothing else',
  async (t) => {
    let clock = Date.now();
    const service = await startService(t, { signUp: 'open' }, { now: () => clock });
    const root = await service.signUp(ROOT);
    const ann = await service.signUp(ANN);
    const { token } = await makeToken(ann);
    const demand = (secondFactor: string) =>
      root.call('PUT', '/api/installation/security', { secondFactor, afterProvider: false });
    // Not before the one who requires it has one.
    await assertError(await demand('everyone'), 409, 'conflict');
    const { secret: rootSecret } = await addApp(root, clock);
    const security = await json<{ without: { everyone: number; people: { email: string }[] } }>(
      await demand('everyone'),
    );
    assert.deepEqual(
      security.without.people.map(({ email }) => email),
      [ANN],
    );
    await assertError(await root.call('DELETE', '/api/account/authenticator-app'), 409, 'conflict');

    // Sessions and tokens that there are go on.
    assert.equal(await statusOf(ann), 200);
    assert.equal((await ann.withToken(token).call('GET', '/api/projects')).status, 200);

    const half = await withPassword(service, ANN);
    assert.equal(
      (await json<Seen>(await half.call('GET', '/api/visitor'))).pending?.next,
      'set_up',
    );
    for (const [method, path] of [
      ['GET', '/api/session'],
      ['GET', '/api/projects'],
      ['POST', '/api/account/authenticator-app/draft'],
      ['POST', '/api/session/second-factor/passkey/options'],
    ] as const) {
      assert.equal((await half.call(method, path)).status, 401, path);
    }
    const APP = '/api/session/set-up/authenticator-app';
    const { secret, draft } = await json<AuthenticatorAppDraft>(
      await half.call('POST', `${APP}/draft`),
    );
    // Another account's draft is none.
    const foreign = await json<AuthenticatorAppDraft>(
      await root.call('POST', '/api/account/authenticator-app/draft'),
    );
    await assertError(
      await half.call('POST', APP, { draft: foreign.draft, code: codeOf(foreign.secret, clock) }),
      400,
      'invalid_request',
    );
    await assertError(
      await half.call('POST', APP, { draft, code: wrongCode(secret, clock) }),
      400,
      'invalid_request',
    );
    // A second browser waits at the same step, with the same password.
    const thief = await withPassword(service, ANN);
    const theirs = await json<AuthenticatorAppDraft>(await thief.call('POST', `${APP}/draft`));
    const set = await half.call('POST', APP, { draft, code: codeOf(secret, clock) });
    assert.equal((await json<{ recoveryCodes: string[] }>(set)).recoveryCodes.length, 10);
    assert.equal(await statusOf(half), 200);
    // What was a step before is none any more: the account has a factor.
    await assertError(
      await thief.call('POST', APP, { draft: theirs.draft, code: codeOf(theirs.secret, clock) }),
      401,
      'unauthorized',
    );
    // Neither does a sign-in that waits for a factor set one up.
    const stolen = await withPassword(service, ANN);
    await assertError(await stolen.call('POST', `${APP}/draft`), 401, 'unauthorized');
    await assertError(
      await stolen.call('POST', APP, { draft: theirs.draft, code: codeOf(theirs.secret, clock) }),
      401,
      'unauthorized',
    );

    // Of owners alone: of those who own something.
    clock += STEP_MS;
    assert.equal((await half.call('DELETE', '/api/account/authenticator-app')).status, 409);
    await json(await demand('owners'));
    assert.equal((await half.call('DELETE', '/api/account/authenticator-app')).status, 204);
    await withPassword(service, ANN, { status: 200 });
    await json(await half.call('POST', '/api/projects', { name: 'Pets', slug: 'pets' }), 201);
    const owner = await withPassword(service, ANN);
    assert.equal(
      (await json<Seen>(await owner.call('GET', '/api/visitor'))).pending?.next,
      'set_up',
    );
    await json(await finish(await withPassword(service, ROOT), 'code', codeOf(rootSecret, clock)));
  },
);

onBothEngines(
  'a sign-in under way ends after ten minutes, with a new password, and with the account',
  async (t) => {
    let clock = Date.now();
    const service = await startService(t, { signUp: 'open' }, { now: () => clock });
    await service.signUp(ROOT);
    const ann = await service.signUp(ANN);
    const { recoveryCodes } = await addApp(ann, clock);
    const [first = '', second = '', third = ''] = recoveryCodes ?? [];

    const late = await withPassword(service, ANN);
    clock += 10 * 60_000;
    await assertError(await finish(late, 'recovery-code', first), 401, 'unauthorized');
    assert.equal((await json<Seen>(await late.call('GET', '/api/visitor'))).pending, null);

    const given = await withPassword(service, ANN);
    assert.equal((await given.call('DELETE', '/api/session/pending')).status, 204);
    await assertError(await finish(given, 'recovery-code', first), 401, 'unauthorized');

    const half = await withPassword(service, ANN);
    const changed = await ann.call('POST', '/api/account/password', {
      current: PASSWORD,
      next: 'an even better one',
    });
    assert.equal(changed.status, 204);
    await assertError(await finish(half, 'recovery-code', second), 401, 'unauthorized');
    // The new password alone is no way in.
    const after = await withPassword(service, ANN, { password: 'an even better one' });
    assert.equal(await statusOf(after), 401);
    await service.db
      .updateTable('users')
      .set({ disabled_at: clock })
      .where('email', '=', ANN)
      .execute();
    await assertError(await finish(after, 'recovery-code', third), 403, 'forbidden');
  },
);

test('what a passkey signs for a browser with an empty cookie is for no other browser', async (t) => {
  const service = await startNamed(t);
  const root = await service.signUp(ROOT);
  const passkey = passkeyHere();
  await addPasskey(root, passkey);
  const empty = { cookie: '__Host-dashboard_sign_in=' };
  const asked = await service
    .visitor()
    .call('POST', '/api/session/passkey/options', undefined, empty);
  const { options } = await json<{ options: Parameters<SoftwarePasskey['get']>[0] }>(asked);
  const signed = passkey.get(options);
  for (const headers of [{}, empty]) {
    const other = await service.visitor().call('POST', '/api/session/passkey', signed, headers);
    await assertError(other, 401, 'unauthorized');
  }
});

onBothEngines(
  'a sensitive change asks again after a quarter of an hour, and a token is not asked',
  async (t) => {
    let clock = Date.now();
    const service = await startNamed(t, () => clock);
    const root = await service.signUp(ROOT);
    const ann = await service.signUp(ANN);
    const passkey = passkeyHere();
    await addPasskey(root, passkey);
    const made = await root.call('POST', '/api/account/tokens', {
      name: 'CI',
      scopes: ['projects', 'delete'],
    });
    const { token } = await json<{ token: string }>(made, 201);
    const make = () => root.call('POST', '/api/account/tokens', { name: 'CI' });

    clock += 15 * 60_000 - 1;
    await json(await make(), 201);
    clock += 1;
    await assertError(await make(), 403, 'confirmation_required');
    // What is not sensitive goes on.
    await json(await root.call('PATCH', '/api/account', { name: 'Root' }));
    const CONFIRM = '/api/session/confirmation';
    assert.deepEqual((await json<{ ways: string[] }>(await root.call('GET', CONFIRM))).ways, [
      'passkey',
      'password',
    ]);
    await assertError(await root.call('POST', CONFIRM, { password: 'wrong' }), 401, 'unauthorized');
    await assertError(await make(), 403, 'confirmation_required');
    assert.equal((await root.call('POST', CONFIRM, { password: PASSWORD })).status, 204);
    await json(await make(), 201);

    clock += 15 * 60_000;
    await assertError(await make(), 403, 'confirmation_required');
    // Another user's session is not confirmed by it, nor with what was signed for one.
    const signed = passkey.get(await optionsOf(root, '/session/confirmation/passkey'));
    await assertError(await ann.call('POST', `${CONFIRM}/passkey`, signed), 401, 'unauthorized');
    const confirmed = await answerWith(root, '/session/confirmation/passkey', passkey);
    assert.equal(confirmed.status, 204);
    await json(await make(), 201);
    await assertError(
      await ann.call('POST', '/api/account/tokens', { name: 'CI' }),
      403,
      'confirmation_required',
    );

    // Guesses of a stolen session are limited as those at the door are.
    for (let at = 0; at < 10; at++) await ann.call('POST', CONFIRM, { password: 'wrong' });
    const limited = await ann.call('POST', CONFIRM, { password: PASSWORD });
    await assertError(limited, 429, 'rate_limited');

    clock += 15 * 60_000;
    await json(await root.call('POST', '/api/projects', { name: 'Pets', slug: 'pets' }), 201);
    const remove = { confirm: 'pets' };
    const bySession = await root.call('DELETE', '/api/projects/pets', remove);
    await assertError(bySession, 403, 'confirmation_required');
    const byToken = await root.withToken(token).call('DELETE', '/api/projects/pets', remove);
    assert.equal(byToken.status, 204);
  },
);

onBothEngines('the last way into an account without a password stays', async (t) => {
  const service = await startNamed(t);
  await service.signUp(ROOT);
  const ann = await service.signUp(ANN);
  const [one, two] = [passkeyHere(), passkeyHere()];
  await addPasskey(ann, one);
  await addPasskey(ann, two);
  await service.db
    .updateTable('users')
    .set({ password_hash: NO_PASSWORD })
    .where('email', '=', ANN)
    .execute();
  const passkeys = (await factorsOf(ann)).passkeys;
  const remove = (at: number) => ann.call('DELETE', `/api/account/passkeys/${passkeys[at]?.id}`);
  // Both at the same time: one goes.
  const answers = await Promise.all([remove(0), remove(1)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409]);
  const rest = answers[0]?.status === 204 ? two : one;
  await json(await answerWith(service.visitor(), '/session/passkey', rest));
  const refused = await service
    .visitor()
    .call('POST', '/api/session', { email: ANN, password: '!' });
  await assertError(refused, 401, 'unauthorized');
});

test('users are told by mail of what happens to their factors', async (t) => {
  const mail = await startMailServer(t);
  const service = await startService(t, {
    mail: { smtpUrl: mail.url(), from: 'Docs <docs@example.com>' },
  });
  const root = await service.signUp(ROOT);
  const { secret, recoveryCodes } = await addApp(root, Date.now());
  const wrong = wrongCode(secret, Date.now());
  await json(await root.call('POST', '/api/account/recovery-codes'), 201);
  const half = await withPassword(service, ROOT);
  await assertError(
    await finish(half, 'recovery-code', recoveryCodes?.[0] ?? ''),
    401,
    'unauthorized',
  );
  for (let at = 0; at < 10; at++) {
    // From one network no more than five are tried; the account's own count goes on.
    await service.db.deleteFrom('sign_in_failures').where('key', 'like', 'code-pair:%').execute();
    await finish(await withPassword(service, ROOT), 'code', wrong);
  }
  await service.db.deleteFrom('sign_in_failures').where('key', 'like', 'code-pair:%').execute();
  const refused = await finish(await withPassword(service, ROOT), 'code', wrong);
  await assertError(refused, 429, 'rate_limited');
  assert.equal((await root.call('DELETE', '/api/account/authenticator-app')).status, 204);
  const expected = [
    'An authenticator app was added to your account',
    'New recovery codes were made',
    'Someone knows your password and tries codes',
    'Your authenticator app was removed',
  ];
  await until(async () => mail.mails.length === expected.length, 'the letters came');
  const subjects = mail.mails.map(({ data }) => /^Subject: (.*)$/im.exec(data)?.[1]?.trim());
  assert.deepEqual(subjects.sort(), expected);
  assert.ok(mail.mails.every(({ to }) => to.includes(`<${ROOT}>`)));
});
