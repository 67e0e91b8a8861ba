import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyContextConfig } from 'fastify';
import { admissionChecks } from '../../../src/http/admission/admission.ts';
import {
  announceDeprecation,
  type Deprecation,
  removalMessage,
  sunsetDate,
} from '../../../src/http/admission/deprecation.ts';
import { expectScope } from '../../../src/http/admission/scope.ts';
import type { ServiceResponse } from '../../../src/http/service-response.ts';
import type { KeyUsage } from '../../../src/keys/key-usage.ts';
import type { Scope } from '../../../src/keys/scope.ts';
import type { SharedQuotas } from '../../../src/rate-limits/quota.ts';
import { RateLimiter } from '../../../src/rate-limits/rate-limiter.ts';

const SUNSET = Date.parse('2030-12-05T12:00:00.000Z');
const deprecation: Deprecation = {
  since: new Date('2025-12-05T00:00:00.500Z'),
  sunset: new Date(SUNSET),
  successor: '/pets',
  advice: 'Use GET /pets.',
};

function response() {
  const added: string[] = [];
  const fake = { addLines: (lines: string) => void added.push(lines) };
  return { added, response: fake as unknown as ServiceResponse };
}

/** The checks for keys that may make one request, or any number, and what becomes of a request. */
function start(requests?: number, shared?: SharedQuotas) {
  const state = { now: SUNSET - 1, used: [] as unknown[] };
  const now = () => state.now;
  const usage = { note: (...use: unknown[]) => void state.used.push(use) };
  const check = admissionChecks({
    usage: usage as unknown as KeyUsage,
    limiter: requests
      ? new RateLimiter({ quota: { requests, windowSeconds: 10 }, shared, now })
      : undefined,
    now,
  });
  const ask = (config: FastifyContextConfig, ...scopes: Scope[]) => {
    const { added, response: answer } = response();
    const key = { id: 'key_1', scopes, expiresAt: Number.POSITIVE_INFINITY };
    return { added, result: () => check({ key, config, response: answer }) };
  };
  return { state, check, ask };
}

const errorOf = (work: () => unknown): ApiError => {
  try {
    assert.equal(work(), 'an error');
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('unreachable');
};

test('a request passes at once with a key that has the scope, and its use is noted', () => {
  const { state, ask } = start();
  const { added, result } = ask({ scope: 'pets:read', deprecation }, 'pets:read');
  assert.equal(result(), undefined);
  assert.deepEqual(state.used, [['key_1', SUNSET - 1]]);
  assert.deepEqual(added, [], 'nothing is said of limits where there is none');
});

test('the key of a sandbox has the same limits, and nothing notes its use, since the store has no row for it', () => {
  const { state, check } = start(1);
  const sandboxed = () => {
    const { added, response: answer } = response();
    const key = {
      ...{ id: 'sandbox_1', scopes: ['pets:read'] as const, expiresAt: Number.POSITIVE_INFINITY },
      sandbox: { id: 'sandbox_1' },
    };
    return {
      added,
      result: () => check({ key, config: { scope: 'pets:read' }, response: answer }),
    };
  };
  const { added, result } = sandboxed();
  assert.equal(result(), undefined);
  assert.match(added.join(), /ratelimit: "default";r=0;t=10/);
  assert.equal(errorOf(sandboxed().result).code, 'rate_limited');
  assert.deepEqual(state.used, []);
});

test('a key without the scope is told which one it lacks; a route that names none takes admin', () => {
  const { ask } = start();
  for (const needed of ['pets:write', undefined] as const) {
    const route = needed ? { scope: needed } : {};
    const error = errorOf(ask(route, 'pets:read', 'orders:write').result);
    const scope = needed ?? 'admin';
    assert.equal(error.code, 'forbidden');
    assert.equal(
      error.message,
      `The API key lacks the scope ${scope}, which this operation needs.`,
    );
    const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
    assert.deepEqual(error.headers, { 'www-authenticate': challenge });
    assert.equal(ask(route, 'admin').result(), undefined);
  }
});

test('an operation is gone from the millisecond of its sunset on', () => {
  const { state, ask } = start();
  const { result } = ask({ scope: 'pets:read', deprecation }, 'pets:read');
  state.now = SUNSET;
  const error = errorOf(result);
  assert.equal(error.code, 'operation_removed');
  assert.equal(error.message, 'This operation was removed on 2030-12-05. Use GET /pets.');
  assert.equal(removalMessage(deprecation), error.message);
  assert.equal(sunsetDate(deprecation.sunset), '2030-12-05');
  assert.equal(ask({ scope: 'pets:read' }, 'pets:read').result(), undefined);
});

test('each response tells where the key stands, and one that has used up its requests waits', () => {
  const { ask } = start(1);
  const first = ask({ scope: 'pets:read' }, 'pets:read');
  assert.equal(first.result(), undefined);
  const lines = (left: number) => [
    `ratelimit-policy: "default";q=1;w=10\r\nratelimit: "default";r=${left};t=10\r\n`,
  ];
  assert.deepEqual(first.added, lines(0));
  const second = ask({ scope: 'pets:read' }, 'pets:read');
  const error = errorOf(second.result);
  assert.equal(error.code, 'rate_limited');
  assert.equal(error.message, 'The API key has used up its requests. Try again in 10 seconds.');
  assert.deepEqual(error.headers, { 'retry-after': '10' });
  assert.deepEqual(second.added, lines(0));
});

test('of several reasons to refuse, the quota is told first, then the sunset, then the scope; all of them count', () => {
  const { state, ask } = start(2);
  state.now = SUNSET;
  const code = (route: FastifyContextConfig) => errorOf(ask(route).result).code;
  assert.equal(code({ scope: 'pets:read', deprecation }), 'operation_removed');
  assert.equal(code({ scope: 'pets:read' }), 'forbidden');
  assert.equal(code({ scope: 'pets:read', deprecation }), 'rate_limited');
  assert.equal(state.used.length, 3);
});

test('where a database has the quota, the later checks come after its response', async () => {
  const share = { requests: 1, left: 0, endsInMs: 10_000 };
  const { ask } = start(1, { take: async () => share });
  const first = ask({ scope: 'pets:read' }, 'orders:read');
  const pending = first.result();
  assert.ok(pending instanceof Promise);
  assert.deepEqual(first.added, []);
  await assert.rejects(pending, { code: 'forbidden' });
  assert.match(first.added.join(), /^ratelimit-policy: .*\r\nratelimit: "default";r=0;t=10\r\n$/);
  const removed = start(1, { take: async () => share });
  removed.state.now = SUNSET;
  const { result } = removed.ask({ scope: 'pets:read', deprecation }, 'pets:read');
  await assert.rejects(async () => result(), { code: 'operation_removed' });
  const other = start(2, { take: async () => ({ ...share, requests: 2 }) });
  assert.equal(await other.ask({ scope: 'pets:read' }, 'pets:read').result(), undefined);
  const known = other.ask({ scope: 'pets:read' }, 'pets:read').result();
  assert.equal(known, undefined, 'nobody has to be asked');
});

test('every response of a deprecated operation tells since when, until when, and what takes its place', () => {
  const announced = (config: FastifyContextConfig, base: string) => {
    const { added, response: answer } = response();
    announceDeprecation(config, answer, () => base);
    return added;
  };
  const lines = (base: string) => [
    'deprecation: @1764892800.5\r\nsunset: Thu, 05 Dec 2030 12:00:00 GMT\r\n' +
      `link: <${base}/pets>; rel="successor-version"\r\n`,
  ];
  for (const base of ['http://a/v1', 'http://a/v1', 'http://b/v1', 'http://a/v1']) {
    assert.deepEqual(announced({ deprecation }, base), lines(base));
  }
  assert.deepEqual(announced({}, 'http://a/v1'), []);
});

test('a route that takes a key and names no scope is an error when it is added', () => {
  const add = (config: object | undefined) =>
    Reflect.apply(expectScope, {}, [{ method: 'GET', url: '/a', config }]);
  assert.equal(add({ scope: 'pets:read' }), undefined);
  for (const config of [{}, undefined]) {
    assert.throws(() => add(config), {
      message: 'GET /a takes a key, and its config names no scope.',
    });
  }
});
