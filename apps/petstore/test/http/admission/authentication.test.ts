import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { ApiError } from '@petstore/http/errors.ts';
import { Authentication } from '../../../src/http/admission/authentication.ts';
import { type ActiveKey, generateKey, generateSandboxKey, hashKey } from '../../../src/keys/key.ts';
import { FailedAuthentications } from '../../../src/rate-limits/failed-authentications.ts';
import type { KeyStore } from '../../../src/store/contract/key-store.ts';

const { key: SECRET } = generateKey('test', 'production', new Date(0));
const KEY: ActiveKey = { id: 'key_1', scopes: ['pets:read'], expiresAt: 5_000 };
const BEARER = `Bearer ${SECRET}`;

const INVALID = {
  code: 'unauthorized',
  message: 'The API key is not valid here, has expired, or was revoked.',
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
};

const TOO_MANY = {
  code: 'rate_limited',
  message:
    'Too many requests from this address came without a valid API key. Try again in 60 seconds.',
  headers: { 'retry-after': '60' },
};

const requestWith = (authorization?: string, ...more: string[]) =>
  ({
    headers: { authorization },
    rawHeaders: [authorization, ...more].flatMap((value) => ['Authorization', value ?? '']),
  }) as unknown as IncomingMessage;

const SANDBOX = generateSandboxKey();
const SANDBOX_KEY: ActiveKey = { ...KEY, id: 'sandbox_1', sandbox: { id: 'sandbox_1' } };

interface Service {
  readonly perMinute?: number;
  readonly isAsked?: boolean;
  readonly hasSandboxes?: boolean;
}

/** A store that has the keys of `stored`, by their secrets, one sandbox where there are some, and a clock that stands. */
function start({ perMinute = 0, isAsked = true, hasSandboxes = false }: Service = {}) {
  const state = {
    ...{ now: 1_000, revision: 1, asked: 0, askedForSandbox: 0 },
    stored: new Map([[SECRET, KEY]]),
  };
  let answer: (key: ActiveKey | undefined) => unknown = (key) => key;
  const keys = {
    findUnrevoked(hash: string) {
      state.asked++;
      const found = [...state.stored].find(([secret]) => hashKey(secret) === hash);
      return answer(found?.[1]);
    },
  } as unknown as KeyStore;
  const now = () => state.now;
  const authentication = new Authentication({
    keys,
    sandboxKey: hasSandboxes
      ? (hash) => {
          state.askedForSandbox++;
          return hash === SANDBOX.hash ? SANDBOX_KEY : undefined;
        }
      : undefined,
    changes: isAsked
      ? { revision: () => state.revision, atOneMoment: (work) => work() }
      : undefined,
    environment: 'production',
    failures: perMinute > 0 ? new FailedAuthentications(perMinute, now) : undefined,
    now,
  });
  const keyOf = async (authorization?: string, ...more: string[]) =>
    authentication.keyOf(requestWith(authorization, ...more), () => '192.0.2.1');
  const refused = (expected: object, authorization?: string, ...more: string[]) =>
    assert.rejects(keyOf(authorization, ...more), (error) => {
      assert.ok(error instanceof ApiError);
      const { code, message, headers } = error;
      assert.deepEqual({ code, message, headers }, expected, authorization);
      return true;
    });
  return {
    ...{ state, authentication, keyOf, refused },
    answerBy: (by: typeof answer) => (answer = by),
  };
}

test('a key is found by its header, however the scheme is written', async () => {
  const { keyOf } = start();
  for (const scheme of ['Bearer ', 'bearer ', 'BEARER   ']) {
    assert.equal(await keyOf(`${scheme}${SECRET}`), KEY);
  }
});

test('a request without one bearer key in the one place for it is told so, and the store is not asked', async () => {
  const { state, refused } = start();
  const unauthorized = (message: string) => ({
    ...{ code: 'unauthorized', message },
    headers: { 'www-authenticate': 'Bearer' },
  });
  const missing = 'An API key is required: send Authorization: Bearer <API_KEY>.';
  await refused(unauthorized(missing), undefined);
  await refused(unauthorized(missing), '');
  await refused(unauthorized('Send one Authorization header, not several.'), BEARER, BEARER);
  const form = 'The Authorization header must read: Bearer <API_KEY>.';
  for (const wrong of [`Basic ${SECRET}`, `x${BEARER}`, `${BEARER} x`, 'Bearer', 'Bearer =']) {
    await refused(unauthorized(form), wrong);
  }
  assert.equal(state.asked, 0);
});

test('what cannot be a key of this environment is refused without asking the store', async () => {
  const { state, refused } = start();
  const staging = generateKey('test', 'staging', new Date(0)).key;
  for (const wrong of ['x', `${SECRET}0`, staging]) await refused(INVALID, `Bearer ${wrong}`);
  assert.equal(state.asked, 0);
  await refused(INVALID, `Bearer ${generateKey('test', 'production', new Date(0)).key}`);
  assert.equal(state.asked, 1);
});

test('a key is refused from the millisecond in which it expires, whether it is known or not', async () => {
  const { state, authentication, keyOf, refused } = start();
  state.now = 4_999;
  assert.equal(await keyOf(BEARER), KEY);
  assert.equal(authentication.knownKey(BEARER), KEY);
  for (let commits = 0; commits < 2; commits++) {
    state.now = 5_000;
    assert.equal(authentication.knownKey(BEARER), undefined);
    await refused(INVALID, BEARER);
    state.revision++;
    assert.equal(authentication.knownKey(BEARER), undefined);
    await refused(INVALID, BEARER);
  }
});

test('the store is asked once for a key between two commits, and anew after each', async () => {
  const { state, authentication, keyOf, refused } = start();
  assert.equal(authentication.knownKey(BEARER), undefined);
  assert.equal(authentication.isKnown(BEARER), false);
  for (let again = 0; again < 3; again++) assert.equal(await keyOf(BEARER), KEY);
  assert.equal(state.asked, 1);
  assert.equal(authentication.isKnown(BEARER), true);
  state.revision++;
  assert.equal(authentication.isKnown(BEARER), true);
  assert.equal(authentication.knownKey(BEARER), KEY);
  assert.equal(await keyOf(BEARER), KEY);
  assert.equal(state.asked, 2);
  const narrowed = { ...KEY, scopes: [] };
  state.stored.set(SECRET, narrowed);
  assert.equal(authentication.knownKey(BEARER), KEY);
  state.revision++;
  assert.equal(authentication.knownKey(BEARER), narrowed);
  state.stored.clear();
  state.revision++;
  assert.equal(authentication.knownKey(BEARER), undefined);
  assert.equal(authentication.isKnown(BEARER), false);
  await refused(INVALID, BEARER);
});

test('a key that the store cannot look up is unknown until somebody asks for it again', async () => {
  const { state, authentication, keyOf, answerBy } = start();
  assert.equal(await keyOf(BEARER), KEY);
  answerBy(() => {
    throw new Error('The disk is away.');
  });
  assert.equal(authentication.knownKey(BEARER), KEY);
  state.revision++;
  assert.equal(authentication.knownKey(BEARER), undefined);
  await assert.rejects(keyOf(BEARER), { message: 'The disk is away.' });
  answerBy((key) => key);
  assert.equal(authentication.knownKey(BEARER), undefined);
  assert.equal(await keyOf(BEARER), KEY);
  assert.equal(authentication.knownKey(BEARER), KEY);
});

test('a store that tells of no changes is asked at every request', async () => {
  const { state, authentication, keyOf, refused } = start({ isAsked: false });
  for (let again = 0; again < 3; again++) assert.equal(await keyOf(BEARER), KEY);
  assert.equal(state.asked, 3);
  assert.equal(authentication.isKnown(BEARER), false);
  state.stored.clear();
  await refused(INVALID, BEARER);
});

test('where something was committed while the store was asked for a key, it is asked again', async () => {
  const { state, authentication, keyOf, answerBy } = start();
  const { promise, resolve } = Promise.withResolvers<ActiveKey>();
  answerBy(() => promise);
  const asked = keyOf(BEARER);
  state.revision++;
  resolve(KEY);
  assert.equal(await asked, KEY);
  state.stored.clear();
  answerBy((key) => key);
  assert.equal(authentication.knownKey(BEARER), undefined);
  assert.equal(state.asked, 2);
});

test('headers up to a length are kept, and the last of them; other keys work all the same', async () => {
  const { state, authentication, keyOf } = start();
  const ofLength = (length: number) => `Bearer${SECRET.padStart(length - 'Bearer'.length)}`;
  assert.equal(await keyOf(ofLength(100)), KEY);
  assert.equal(await keyOf(ofLength(101)), KEY);
  assert.equal(authentication.isKnown(ofLength(100)), true);
  assert.equal(authentication.isKnown(ofLength(101)), false);
  const header = () => {
    const { key } = generateKey('test', 'production', new Date(0));
    state.stored = new Map([[key, KEY]]);
    return `Bearer ${key}`;
  };
  const last = header();
  await keyOf(last);
  for (let kept = 1; kept < 10_000; kept++) await keyOf(header());
  assert.equal(authentication.isKnown(ofLength(100)), false);
  assert.equal(authentication.isKnown(last), true);
  state.stored.set(SECRET, KEY);
  assert.equal(await keyOf(ofLength(100)), KEY);
  assert.equal(authentication.isKnown(ofLength(100)), true);
  assert.equal(authentication.isKnown(last), false);
});

test('each way to fail counts for its address, whose keys are then refused unless they were good', async () => {
  const other = generateKey('other', 'production', new Date(0)).key;
  for (const way of [undefined, 'Basic x', 'Bearer x', `Bearer ${other}`]) {
    const { state, keyOf, refused } = start({ perMinute: 1 });
    assert.equal(await keyOf(BEARER), KEY);
    await assert.rejects(keyOf(way), { code: 'unauthorized' });
    await refused(TOO_MANY, way);
    state.stored.set(other, KEY);
    const { asked } = state;
    await refused(TOO_MANY, `Bearer ${other}`);
    assert.equal(state.asked, asked, 'the store is not asked');
    state.revision++;
    assert.equal(await keyOf(BEARER), KEY, 'it was good');
    state.stored.clear();
    state.revision++;
    await refused(TOO_MANY, BEARER);
    state.stored.set(SECRET, KEY);
    await refused(TOO_MANY, BEARER);
  }
});

test('a key that has expired counts as a failure and is no good one any more', async () => {
  const { state, refused } = start({ perMinute: 1 });
  state.now = 5_000;
  await refused(INVALID, BEARER);
  assert.equal(state.asked, 1);
  await refused(TOO_MANY, BEARER);
  assert.equal(state.asked, 1);
});

test('the key of a sandbox opens it, and is looked up at each request, so that none of them passes by the router', async () => {
  const { state, authentication, keyOf } = start({ hasSandboxes: true });
  const bearer = `Bearer ${SANDBOX.key}`;
  for (let times = 1; times <= 3; times++) {
    assert.equal(await keyOf(bearer), SANDBOX_KEY);
    assert.equal(state.askedForSandbox, times);
    assert.equal(authentication.isKnown(bearer), false);
    assert.equal(authentication.knownKey(bearer), undefined);
  }
  assert.equal(state.asked, 0, 'the store of keys does not have it');
});

test('where there are sandboxes, keys of the service work, and what cannot be a key of either is not looked up', async () => {
  const { state, keyOf, refused } = start({ hasSandboxes: true });
  assert.equal(await keyOf(BEARER), KEY);
  assert.deepEqual([state.asked, state.askedForSandbox], [1, 0]);
  for (const wrong of ['x', `${SANDBOX.key}0`]) await refused(INVALID, `Bearer ${wrong}`);
  assert.deepEqual([state.asked, state.askedForSandbox], [1, 0]);
  await refused(INVALID, `Bearer ${generateSandboxKey().key}`);
  assert.deepEqual([state.asked, state.askedForSandbox], [1, 1]);
});

test('where there are no sandboxes, the key of one is refused without asking the store', async () => {
  const { state, refused } = start();
  await refused(INVALID, `Bearer ${SANDBOX.key}`);
  assert.equal(state.asked, 0);
});
