import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTimeOf } from '@petstore/test-support/within.ts';
import { LONGEST_WAIT_MS } from '../../src/report/challenges/challenge.ts';
import { challengeOf } from '../../src/report/challenges/challenges.ts';
import { everythingListed } from '../../src/report/challenges/everything-listed.ts';
import { judge, RULES } from '../../src/report/judge.ts';
import type {
  RecordedDelivery,
  RecordedRequest,
  Recording,
} from '../../src/report/recorded-request.ts';
import { reportOf } from '../../src/report/report.ts';
import { reportJunit } from '../../src/report/report-junit.ts';
import { reportPage } from '../../src/report/report-page.ts';
import { reportTable } from '../../src/report/report-table.ts';
import type { Verdict } from '../../src/report/rule.ts';

type Given = Partial<RecordedRequest> & {
  /** Milliseconds after the end of the one before. */
  readonly after?: number;
};

const LIST = {
  method: 'GET',
  operation: 'listPets',
  path: '/v1/pets',
  target: '/v1/pets?limit=10',
};
const ADD = {
  method: 'POST',
  operation: 'createPet',
  path: '/v1/pets',
  target: '/v1/pets',
  status: 201,
  body: 'rex',
};

/** Requests one after the other, each taking a millisecond. */
function requests(given: readonly Given[]): RecordedRequest[] {
  let end = 1_000_000;
  return given.map(({ after = 100, ...one }, i) => {
    const request = {
      ...{ number: i + 1, at: end + after, durationMs: 1, status: 200 },
      ...LIST,
      ...one,
    };
    end = request.at + request.durationMs;
    return request;
  });
}

function recordingOf(given: readonly Given[], rest: Partial<Recording> = {}): Recording {
  return {
    ...{ requests: requests(given), isWhole: true, deliveries: [], isOver: false },
    ...{ longestWaitMs: LONGEST_WAIT_MS, now: 2_000_000 },
    ...rest,
  };
}

function verdict(code: string, given: readonly Given[], rest: Partial<Recording> = {}): Verdict {
  const found = judge(recordingOf(given, rest)).find((one) => one.code === code);
  assert.ok(found, code);
  assert.equal(found.verdict === 'not_seen', found.evidence.length === 0, 'a verdict has evidence');
  for (const { requests, seen, expected } of found.evidence) {
    assert.ok(requests.every((number) => number >= 1 && number <= given.length));
    assert.match(seen, /^[A-Z].*\.$/s);
    assert.match(expected, /^[A-Z].*\.$/s);
  }
  return found.verdict;
}

/** What the requests of a client say about one rule. */
function cases(
  code: string,
  table: readonly (readonly [
    what: string,
    verdict: Verdict,
    given: readonly Given[],
    rest?: Partial<Recording>,
  ])[],
): void {
  test(`${code}: what can be concluded from requests, and what cannot`, () => {
    for (const [what, expected, given, rest] of table) {
      assert.equal(verdict(code, given, rest), expected, what);
    }
  });
}

const NEXT = '/v1/pets?limit=10&cursor=AQAAAAAAAAAK';

cases('pages_by_link', [
  ['no page has a next one', 'not_seen', [{}, {}]],
  ['the client needed no more', 'not_seen', [{ next: NEXT }]],
  ['the link is followed', 'kept', [{ next: NEXT }, { target: NEXT }]],
  [
    'in another order',
    'kept',
    [{ next: NEXT }, { target: '/v1/pets?cursor=AQAAAAAAAAAK&limit=10' }],
  ],
  [
    'a cursor of its own',
    'broken',
    [{ next: NEXT }, { target: '/v1/pets?limit=10&cursor=AQAAAAAAAAAL' }],
  ],
  ['the link may have been forgotten', 'not_seen', [{ target: NEXT }], { isWhole: false }],
  [
    'a cursor that the service never makes',
    'broken',
    [{ target: '/v1/pets?cursor=…' }],
    { isWhole: false },
  ],
  ['pages are counted', 'broken', [{ target: '/v1/pets?page=…' }]],
  [
    'an event log is no list',
    'not_seen',
    [{ operation: 'listEvents', target: '/v1/events?cursor=12' }],
  ],
]);

const BIG = '9007199254740993';
const ROUNDED = '9007199254740992';

cases('exact_ids', [
  ['no long id', 'not_seen', [{}, {}]],
  ['sent, and not used', 'not_seen', [{ sentIds: [BIG] }, {}]],
  ['sent back', 'kept', [{ sentIds: [BIG] }, { ...ADD, usedIds: [BIG] }]],
  ['rounded', 'broken', [{ sentIds: [BIG] }, { ...ADD, usedIds: [ROUNDED] }]],
  [
    'the client has its own',
    'not_seen',
    [{ ...ADD, usedIds: [ROUNDED] }, { sentIds: [BIG] }, { ...ADD, usedIds: [ROUNDED] }],
  ],
  [
    'as JavaScript writes a double',
    'broken',
    [{ sentIds: ['9223372036854775807'] }, { ...ADD, usedIds: ['9223372036854776000'] }],
  ],
  [
    'a neighbour that the client chose',
    'not_seen',
    [{ sentIds: ['9223372036854775807'] }, { ...ADD, usedIds: ['9223372036854775806'] }],
  ],
  ['both were sent', 'not_seen', [{ sentIds: [BIG, ROUNDED] }, { ...ADD, usedIds: [ROUNDED] }]],
  [
    'an even one survives a double',
    'not_seen',
    [{ sentIds: ['9007199254740994'] }, { ...ADD, usedIds: ['9007199254740994'] }],
  ],
]);

const REFUSED = { status: 503, retryAfter: 2 };

cases('retry_after_kept', [
  ['nothing was refused', 'not_seen', [{}, {}]],
  ['not sent again', 'not_seen', [REFUSED, { target: '/v1/categories' }]],
  ['after the time', 'kept', [REFUSED, { after: 2_010 }]],
  ['a timer is a little early', 'kept', [REFUSED, { after: 1_900 }]],
  ['too early', 'broken', [REFUSED, { after: 500 }]],
  ['another request in between', 'broken', [REFUSED, { target: '/v1/categories' }, { after: 500 }]],
  ['much later', 'not_seen', [REFUSED, { after: 600_000 }]],
  [
    'two workers with the same request',
    'not_seen',
    [{ durationMs: 900 }, { after: -500 }, REFUSED, { after: 10 }],
  ],
  [
    'told by the head of a slow response',
    'not_seen',
    [{ ...REFUSED, fault: 'slow=100ms', durationMs: 3_000 }, { after: 10 }],
  ],
]);

const FAILED = { status: 502 };
const STREAM = {
  ...{ operation: 'listEvents', target: '/v1/events', isStream: true },
  ...{ durationMs: 300_000, clientLeft: true, after: 1 },
};

cases('retries_back_off', [
  ['one retry says little', 'not_seen', [FAILED, { after: 300 }]],
  ['longer each time', 'kept', [FAILED, { ...FAILED, after: 100 }, { after: 300 }]],
  ['with chance in it', 'not_seen', [FAILED, { ...FAILED, after: 300 }, { after: 200 }]],
  ['at once, once', 'not_seen', [FAILED, { after: 1 }]],
  ['at once, again and again', 'broken', [FAILED, { ...FAILED, after: 1 }, { after: 2 }]],
  [
    'always the same',
    'broken',
    [FAILED, ...[1_000, 1_010, 990].map((after) => ({ ...FAILED, after })), { after: 1_005 }],
  ],
  [
    'as long as it may',
    'kept',
    [FAILED, ...[1_000, 2_000, 2_000].map((after) => ({ ...FAILED, after })), { after: 2_000 }],
  ],
  ['the service said when', 'not_seen', [REFUSED, { ...REFUSED, after: 2_000 }, { after: 2_000 }]],
  ['a list that is polled', 'not_seen', [{}, {}, {}, {}, {}, {}]],
  [
    'a list that is polled, while the service is down',
    'not_seen',
    [{}, ...[1_000, 1_000, 1_000, 1_000].map((after) => ({ ...FAILED, after })), { after: 1_000 }],
  ],
  [
    'the same, and the service was down at first',
    'not_seen',
    [
      ...[1_000, 1_000, 1_000, 1_000].map((after) => ({ ...FAILED, after })),
      { after: 1_000 },
      { after: 1_000 },
    ],
  ],
  ['a stream that is opened again', 'not_seen', [STREAM, STREAM, STREAM, STREAM]],
]);

const LOST = { ...ADD, status: 503, fault: 'status=503;when=after' };

cases('no_unsafe_retry', [
  ['nothing failed', 'not_seen', [ADD, { ...ADD, body: 'ada' }]],
  ['sent again', 'broken', [LOST, ADD]],
  ['the connection broke', 'broken', [{ ...ADD, status: undefined, fault: 'reset=after' }, ADD]],
  ['given up and sent again', 'broken', [{ ...ADD, status: undefined, clientLeft: true }, ADD]],
  [
    'with a key',
    'kept',
    [
      { ...LOST, idempotencyKey: 'k' },
      { ...ADD, idempotencyKey: 'k' },
    ],
  ],
  ['left alone', 'kept', [LOST, { ...ADD, body: 'ada' }]],
  ['it may still come', 'not_seen', [LOST]],
  ['refused for a quota', 'not_seen', [{ ...ADD, status: 429, retryAfter: 1 }, ADD]],
  ['refused for good', 'not_seen', [{ ...ADD, status: 400 }, ADD]],
  ['three alike are meant', 'kept', [ADD, LOST, ADD]],
  [
    'a member is missing, and a twin is added',
    'not_seen',
    [{ ...ADD, fault: 'drift=missing' }, ADD],
  ],
  [
    'to end an order twice does no harm',
    'not_seen',
    [
      { ...LOST, operation: 'completeOrder', target: '/v1/store/orders/1/complete' },
      { ...ADD, operation: 'completeOrder', target: '/v1/store/orders/1/complete' },
    ],
  ],
]);

cases('idempotency_keys', [
  ['no key', 'not_seen', [ADD, ADD]],
  ['one key', 'not_seen', [{ ...ADD, idempotencyKey: 'k' }]],
  [
    'each its own',
    'kept',
    [
      { ...ADD, idempotencyKey: 'k' },
      { ...ADD, idempotencyKey: 'l' },
    ],
  ],
  [
    'for another body',
    'broken',
    [
      { ...ADD, idempotencyKey: 'k' },
      { ...ADD, body: 'ada', status: 422, idempotencyKey: 'k' },
    ],
  ],
  [
    'the body of one attempt did not arrive',
    'kept',
    [
      { ...ADD, status: 429, body: undefined, idempotencyKey: 'k' },
      { ...ADD, idempotencyKey: 'k' },
    ],
  ],
  [
    'for a body behind one that did not arrive',
    'broken',
    [
      { ...ADD, status: 429, body: undefined, idempotencyKey: 'k' },
      { ...ADD, idempotencyKey: 'k' },
      { ...ADD, body: 'ada', status: 422, idempotencyKey: 'k' },
    ],
  ],
  ['a retry without the key', 'broken', [{ ...LOST, idempotencyKey: 'k' }, ADD]],
  [
    'a new one for a retry',
    'broken',
    [
      { ...LOST, idempotencyKey: 'k' },
      { ...ADD, idempotencyKey: 'l' },
    ],
  ],
  [
    'the same for a retry',
    'kept',
    [
      { ...LOST, idempotencyKey: 'k' },
      { ...ADD, idempotencyKey: 'k' },
    ],
  ],
  [
    'nothing was done for 429',
    'kept',
    [
      { ...ADD, status: 429, idempotencyKey: 'k' },
      { ...ADD, idempotencyKey: 'l' },
    ],
  ],
  [
    'twins with a key each',
    'kept',
    [
      { ...ADD, idempotencyKey: 'k' },
      { ...LOST, idempotencyKey: 'l' },
      { ...ADD, idempotencyKey: 'l' },
      { ...ADD, idempotencyKey: 'm' },
    ],
  ],
]);

const TAGGED = { etag: '"x"' };

cases('conditional_requests', [
  ['asked for once', 'not_seen', [TAGGED]],
  ['a few times', 'not_seen', [TAGGED, TAGGED, TAGGED, TAGGED]],
  ['again and again', 'broken', [TAGGED, TAGGED, TAGGED, TAGGED, TAGGED]],
  ['it changed in between', 'not_seen', [TAGGED, TAGGED, { etag: '"y"' }, TAGGED, TAGGED, TAGGED]],
  ['with the tag', 'kept', [TAGGED, { status: 304, ifNoneMatch: '"x"' }]],
  ['with a tag of its own making', 'not_seen', [TAGGED, { ...TAGGED, ifNoneMatch: '"z"' }]],
]);

const SAME = { status: 304, ifNoneMatch: '"x"', etag: '"x"' };

cases('not_modified_understood', [
  ['no 304', 'not_seen', [TAGGED, TAGGED]],
  ['the client went on', 'kept', [TAGGED, SAME, { target: '/v1/categories' }]],
  ['it asks again with the tag', 'kept', [TAGGED, SAME, SAME]],
  // Another worker, which has nothing kept yet, may come right behind a 304.
  ['at once in full, once', 'not_seen', [TAGGED, SAME, { after: 20 }]],
  ['at once in full, again', 'broken', [TAGGED, SAME, { after: 20 }, SAME, { after: 20 }]],
  ['later in full', 'kept', [TAGGED, SAME, { after: 5_000 }]],
  ['the last one', 'not_seen', [TAGGED, SAME]],
  ['the last one of a challenge', 'kept', [TAGGED, SAME], { isOver: true }],
]);

const DRIFTED = { fault: 'drift=enum', next: NEXT };

cases('unknown_tolerated', [
  ['nothing was new', 'not_seen', [{ next: NEXT }, { target: NEXT }]],
  ['read on', 'kept', [DRIFTED, { target: NEXT }]],
  ['nobody knows whether it wanted more', 'not_seen', [DRIFTED, {}]],
  ['it was to read on', 'broken', [DRIFTED, {}], { isOver: true }],
  ['a member is missing', 'not_seen', [{ ...DRIFTED, fault: 'drift=missing' }], { isOver: true }],
  ['no next page', 'not_seen', [{ fault: 'drift=unknown' }], { isOver: true }],
]);

const LEAVING = { operation: 'getPet', sunset: 2_000_000 + 3 * 86_400_000 };

cases('deprecated_operations', [
  ['none', 'kept', [{}]],
  ['unknown paths alone', 'not_seen', [{ operation: undefined, status: 404 }]],
  ['one that is still there', 'kept', [{}, LEAVING]],
  ['one that was there, and then no longer', 'broken', [LEAVING, { ...LEAVING, status: 410 }]],
  ['a fault says that it is gone', 'kept', [{ ...LEAVING, status: 410, fault: 'status=410' }]],
  ['another thing is gone', 'kept', [{ operation: 'listEvents', status: 410 }]],
]);

test('deprecated_operations: the days that are left are told in every form, and fail no build', () => {
  const given = requests([LEAVING]);
  const rules = judge(recordingOf([LEAVING]));
  const [told] = rules.find(({ code }) => code === 'deprecated_operations')?.evidence ?? [];
  assert.equal(told?.isNotice, true);
  const days = /The operation getPet was used once\. It goes on 1970-01-04, in 3 days\./;
  const report = reportOf('sbx_1', given, { rules, isWhole: true });
  assert.equal(report.verdict, 'kept');
  assert.match(reportTable(report), days);
  assert.match(reportPage(report).text, days);
  const xml = reportJunit(report);
  assert.match(xml, days);
  assert.match(xml, /failures="0"/);
  assert.doesNotMatch(xml, /<failure/);
});

test('only_what_stays: a challenge is stricter, and fails whoever uses what goes away', () => {
  const { rules } = challengeOf('manners');
  const verdictOn = (given: readonly Given[]) =>
    judge(recordingOf(given), rules).find(({ code }) => code === 'only_what_stays')?.verdict;
  assert.equal(verdictOn([{}, LEAVING]), 'broken');
  assert.equal(verdictOn([{}]), 'kept');
  assert.equal(verdictOn([]), 'not_seen');
});

const each = (count: number, more: Given = {}) =>
  Array.from({ length: count }, () => ({ opensConnection: true, ...more }));

cases('connections_reused', [
  ['one request', 'not_seen', [{}]],
  ['one connection', 'kept', [{}, {}, {}]],
  ['a few connections', 'not_seen', each(5)],
  ['one for each', 'broken', each(6)],
  ['with pauses', 'not_seen', each(9, { after: 3_000 })],
  ['behind a proxy', 'not_seen', each(9, { viaProxy: true })],
  ['the service closed them', 'not_seen', each(9, { closes: true })],
  ['by HTTP/1.0, as nginx does for its clients', 'not_seen', each(9, { isHttp10: true })],
  ['the client asked for that', 'broken', each(9, { closes: true, asksToClose: true })],
  ['all at once', 'not_seen', each(9, { durationMs: 500, after: -499 })],
]);

cases('credentials_in_header', [
  ['nothing came', 'not_seen', []],
  ['in the header', 'kept', [{}]],
  ['in the address', 'broken', [{}, { credentialIn: 'api_key', status: 401 }]],
]);

cases('time_limits', [
  ['all is quick', 'not_seen', [{}, {}]],
  ['given up', 'kept', [{ durationMs: 4_000, clientLeft: true, status: undefined }]],
  ['at once is no limit', 'not_seen', [{ durationMs: 10, clientLeft: true, status: undefined }]],
  ['half a minute is nobody’s business', 'not_seen', [{ durationMs: 30_000 }]],
  ['more than a minute', 'broken', [{ durationMs: 61_000 }]],
  ['longer than a challenge allows', 'broken', [{ durationMs: 6_000 }], { longestWaitMs: 5_000 }],
  ['a stream goes on', 'not_seen', [{ isStream: true, durationMs: 3_600_000 }]],
  ['a stream that is left', 'not_seen', [STREAM]],
  [
    'late, but given up',
    'kept',
    [{ durationMs: 6_000, clientLeft: true }],
    { longestWaitMs: 5_000 },
  ],
]);

const QUOTA = { ...ADD, status: 429, retryAfter: 2, body: 'one' };
const more = (count: number, after: number) =>
  Array.from({ length: count }, (_, i) => ({ ...ADD, body: `${i}`, after }));

cases('pace_under_quota', [
  ['no quota', 'not_seen', [ADD]],
  ['all wait', 'kept', [QUOTA, ...more(3, 2_010)]],
  ['none waits', 'broken', [QUOTA, ...more(5, 300)]],
  ['they were on their way', 'kept', [QUOTA, ...more(4, 10), { ...ADD, after: 2_500 }]],
  ['no wait was asked for', 'not_seen', [{ ...QUOTA, retryAfter: 0 }, ...more(5, 300)]],
  ['two may not have heard', 'not_seen', [QUOTA, ...more(2, 300), { ...ADD, after: 2_500 }]],
  [
    'an early retry is another matter',
    'kept',
    [QUOTA, ...[1, 2, 3].map(() => ({ ...QUOTA, after: 300 })), { ...ADD, after: 2_500 }],
  ],
  ['it may still come', 'not_seen', [QUOTA]],
]);

const delivery = (given: Partial<RecordedDelivery>): RecordedDelivery => ({
  ...{ endpoint: 'e', eventId: '1', at: 1, durationMs: 5, status: 204 },
  ...given,
});

cases('webhooks_verified', [
  ['no forged one', 'not_seen', [], { deliveries: [delivery({})] }],
  [
    'refused',
    'kept',
    [],
    { deliveries: [delivery({}), delivery({ isForged: true, status: 401 })] },
  ],
  [
    'everything is refused',
    'not_seen',
    [],
    { deliveries: [delivery({ status: 401 }), delivery({ isForged: true, status: 401 })] },
  ],
  ['taken', 'broken', [], { deliveries: [delivery({ isForged: true })] }],
  [
    'the endpoint was down',
    'not_seen',
    [],
    { deliveries: [delivery({ isForged: true, status: 502 })] },
  ],
  [
    'no response',
    'not_seen',
    [],
    { deliveries: [delivery({ isForged: true, status: undefined })] },
  ],
]);

cases('webhooks_answered_in_time', [
  ['none', 'not_seen', []],
  ['in time', 'kept', [], { deliveries: [delivery({})] }],
  ['refused', 'not_seen', [], { deliveries: [delivery({ status: 500 })] }],
  [
    'too late',
    'broken',
    [],
    { deliveries: [delivery({}), delivery({ status: undefined, timedOut: true })] },
  ],
]);

cases('webhooks_taken_twice', [
  ['once', 'not_seen', [], { deliveries: [delivery({}), delivery({ eventId: '2' })] }],
  ['twice', 'kept', [], { deliveries: [delivery({}), delivery({})] }],
  [
    'refused the second time',
    'broken',
    [],
    { deliveries: [delivery({}), delivery({ status: 409 })] },
  ],
  [
    'it failed, and was then taken',
    'not_seen',
    [],
    { deliveries: [delivery({ status: 500 }), delivery({})] },
  ],
  ['two endpoints', 'not_seen', [], { deliveries: [delivery({}), delivery({ endpoint: 'f' })] }],
]);

test('a client that does the same 5,000 times is judged in a moment, whatever it does', () => {
  const drifted = { fault: 'drift=unknown', next: NEXT };
  const everything = [...RULES, everythingListed];
  for (const given of [
    drifted,
    { ...LOST, idempotencyKey: undefined },
    { status: 429, retryAfter: 1, durationMs: 0 },
    { status: 429, retryAfter: 0, durationMs: 0 },
    { sentIds: [BIG], usedIds: [BIG, ROUNDED] },
    { ...TAGGED, ifNoneMatch: '"x"', status: 304 },
  ]) {
    const recording = recordingOf(
      Array.from({ length: 5_000 }, () => given),
      { isOver: true },
    );
    const took = cpuTimeOf(() => judge(recording, everything));
    // It takes a tenth of a second, and took half a minute when requests were looked for one by one.
    assert.ok(took < 4_000, JSON.stringify(given));
  }
});
