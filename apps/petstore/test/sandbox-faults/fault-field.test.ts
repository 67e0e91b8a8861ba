import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FaultFieldError } from '../../src/faults/fault-field.ts';
import { readFaults } from '../../src/faults/fault-kinds.ts';
import { planOf } from '../../src/faults/fault-plan.ts';
import { drawLatency, MAX_LATENCY_MS } from '../../src/faults/latency.ts';

const ALWAYS = { rate: 1, seed: 0 };

test('a field is a dictionary, with white space or without, with units or without', () => {
  const cases: [string, object[]][] = [
    ['status=503;rate=0.5;seed=7', [{ status: 503, rate: 0.5, seed: 7 }]],
    [
      'latency=800ms; status=503; rate=0.2; seed=7',
      [{ latency: { distribution: 'fixed', ms: 800 }, status: 503, rate: 0.2, seed: 7 }],
    ],
    [
      'latency=800, status=503;rate=1',
      [
        { latency: { distribution: 'fixed', ms: 800 }, ...ALWAYS },
        { status: 503, ...ALWAYS },
      ],
    ],
    ['rate=1;seed=3 ;\tcut', [{ cut: { part: 0.5 }, rate: 1, seed: 3 }]],
    ['cut=10', [{ cut: { bytes: 10 }, ...ALWAYS }]],
    ['cut=0.25', [{ cut: { part: 0.25 }, ...ALWAYS }]],
    ['cut=?1', [{ cut: { part: 0.5 }, ...ALWAYS }]],
    ['reset', [{ reset: 'before', ...ALWAYS }]],
    ['reset="after"', [{ reset: 'after', ...ALWAYS }]],
    ['slow', [{ slow: 10, ...ALWAYS }]],
    ['slow=1s', [{ slow: 1_000, ...ALWAYS }]],
    ['length=-5', [{ length: -5, ...ALWAYS }]],
    ['type', [{ type: 'text/html', ...ALWAYS }]],
    ['type=application/problem+json', [{ type: 'application/problem+json', ...ALWAYS }]],
    [
      'malformed;drift;big-ids;stale;duplicate',
      [
        {
          malformed: 'truncated',
          drift: 'unknown',
          bigIds: true,
          stale: 1,
          duplicate: true,
          ...ALWAYS,
        },
      ],
    ],
    ['clock=-1h;cut=0', [{ clock: -3_600_000, cut: { bytes: 0 }, ...ALWAYS }]],
    [
      'status=429;retry-after=2s;retry-form=date;code=rate_limited;when=after',
      [
        {
          status: 429,
          retryAfter: 2,
          hasRetryDate: true,
          code: 'rate_limited',
          when: 'after',
          ...ALWAYS,
        },
      ],
    ],
    [
      'latency=uniform;max=1s',
      [{ latency: { distribution: 'uniform', min: 0, max: 1_000 }, ...ALWAYS }],
    ],
    [
      'latency=normal;mean=300;deviation=100',
      [{ latency: { distribution: 'normal', mean: 300, deviation: 100 }, ...ALWAYS }],
    ],
    [
      'latency=exponential;mean=300ms',
      [{ latency: { distribution: 'exponential', mean: 300 }, ...ALWAYS }],
    ],
    [
      'latency=pareto;min=100ms',
      [{ latency: { distribution: 'pareto', min: 100, shape: 1.5 }, ...ALWAYS }],
    ],
    ['cut=?0;slow', [{ slow: 10, ...ALWAYS }]],
  ];
  for (const [text, expected] of cases) {
    assert.deepEqual(JSON.parse(JSON.stringify(readFaults(text))), expected, text);
  }
});

test('what is wrong is quoted, and what would be right is named', () => {
  const cases: [string, RegExp][] = [
    ['', /"the end" at character 1 is not a part such as status=503/],
    ['status=503;', /"the end" at character 12/],
    ['status=503;;seed=1', /";" at character 12/],
    ['status=503,', /"the end" at character 12/],
    ['Status=503', /"Status=503" at character 1/],
    ['status: 503', /": 503" at character 7/],
    ['status=503 rate=1', /"rate=1" at character 12/],
    ['status=', /"the end" at character 8/],
    ['status=ä', /"ä" at character 8/],
    ['status="x', /at character 8/],
    ['status=503;status=500', /status is there twice; name it once/],
    ['status=503, status=500', /status begins two groups/],
    [
      'staus=503',
      /staus is unknown; the faults are latency, status, .*; their parameters are rate, seed/,
    ],
    [
      'status=200',
      /status=200 is not right: status must be an error status, an integer from 400 to 599/,
    ],
    ['status=503.0', /status=503\.0 is not right/],
    ['status', /status is not right: status must be an error status/],
    [
      'latency=31s',
      /latency=31s is not right: latency must be a time from 0ms to 30s, such as 800ms/,
    ],
    ['latency=-1', /latency must be a time from 0ms to 30s/],
    ['latency=8ns', /"ns" at character 10/],
    ['latency=gauss', /latency must be a time .*, or one of uniform, normal, exponential, pareto/],
    ['latency=normal;mean=3s', /latency=normal needs deviation, such as latency=normal;mean=300ms/],
    ['latency=uniform;min=2s;max=1s', /min must not be longer than max/],
    ['latency=800ms;max=2s', /max belongs to latency=uniform/],
    ['latency=pareto;min=1;shape=0', /shape must be a number from 0\.1 to 100/],
    ['rate=0.5;seed=1', /rate=0\.5;seed=1 names no fault/],
    ['cut=?0', /names no fault/],
    ['cut;rate=2', /rate=2 is not right: rate must be a part from 0 to 1, such as 0\.2/],
    ['cut;seed=1.5', /seed must be a seed, an integer from 0 to 999999999999999/],
    ['cut;seed=1000000000000000', /character/],
    ['cut=1.5', /cut must be a number of bytes from 0 to 65536 such as 10, or a part such as 0\.5/],
    ['slow=2s', /slow must be a time from 1ms to 1s/],
    ['length=0', /length must be an integer from -10000 to 10000 and not 0/],
    ['reset=maybe', /reset must be one of before, after/],
    ['malformed=xml', /malformed must be one of truncated, comma, quotes, html, utf8, empty/],
    ['drift=odd', /drift must be one of unknown, enum, missing, all/],
    ['type=html', /type must be a media type such as text\/html, or none/],
    ['stale=0', /stale must be a number of changes, an integer from 1 to 20/],
    ['clock=2000d', /clock must be a time from -366d to 366d/],
    ['clock', /clock must be a time/],
    ['duplicate=2', /duplicate must be there without a value/],
    ['cut;code=x', /code belongs to status, which is not in its group/],
    ['cut;retry-after=1', /retry-after belongs to status/],
    ['status=503;retry-form=date', /retry-form belongs to retry-after/],
    ['status=429;retry-after=1.5s', /retry-after must be whole seconds/],
    ['cut;when=after', /when belongs to status or latency/],
    ['status=503;code=Bad', /code must be an error code/],
    ['a,b,c,d,e,f', /at most 5 groups|is not a fault/],
    ['x'.repeat(1_001), /at most 1000 characters/],
  ];
  for (const [text, message] of cases) {
    assert.throws(
      () => readFaults(text),
      (error: Error) => {
        assert.ok(error instanceof FaultFieldError, `${text}: ${error}`);
        assert.match(error.message, message, text);
        return true;
      },
      text,
    );
  }
});

test('no text is anything but faults or a FaultFieldError', () => {
  const part = fc.oneof(
    fc.constantFrom(
      'status',
      'latency',
      'cut',
      '=',
      ';',
      ',',
      ' ',
      '503',
      '800ms',
      '"',
      '?1',
      '\\',
      '.',
      '-',
    ),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      try {
        readFaults(parts.join(''));
      } catch (error) {
        assert.ok(error instanceof FaultFieldError, String(error));
      }
    }),
  );
});

test('what is drawn is the same on every machine', () => {
  const groups = readFaults('status=503;rate=0.5;seed=7');
  const drawn = Array.from({ length: 20 }, (_, at) => (planOf(groups, at + 1) ? 'x' : '.')).join(
    '',
  );
  assert.equal(drawn, 'xx.xx..x...xx.xxx.xx');
  const other = readFaults('status=503;rate=0.5;seed=8');
  const drawnOfOther = Array.from({ length: 20 }, (_, at) =>
    planOf(other, at + 1) ? 'x' : '.',
  ).join('');
  assert.notEqual(drawnOfOther, drawn);
  const latencies = (text: string) => {
    const latency = readFaults(text)[0]?.latency;
    assert.ok(latency);
    return [1, 2, 3, 4].map((request) => drawLatency(latency, 7, request));
  };
  assert.deepEqual(latencies('latency=uniform;min=100ms;max=900ms'), [488, 673, 275, 534]);
  assert.deepEqual(latencies('latency=normal;mean=300ms;deviation=100ms'), [305, 171, 297, 211]);
  assert.deepEqual(latencies('latency=exponential;mean=300ms'), [199, 378, 74, 234]);
  assert.deepEqual(latencies('latency=pareto;min=100ms;shape=1.5'), [156, 232, 118, 168]);
  const planned = readFaults('latency=uniform;min=100ms;max=900ms;seed=7');
  const ofPlans = [1, 2, 3, 4].map((request) => planOf(planned, request)?.latencyMs);
  assert.deepEqual(ofPlans, [488, 673, 275, 534], 'the seed of the group counts');
});

test('a rate is a part of many requests, and a distribution has its mean', () => {
  const numbers = Array.from({ length: 4_000 }, (_, at) => at + 1);
  const groups = readFaults('cut;rate=0.2;seed=3');
  const hits = numbers.filter((number) => planOf(groups, number)).length;
  assert.ok(Math.abs(hits / numbers.length - 0.2) < 0.02, `${hits}`);
  const means: [string, number][] = [
    ['latency=uniform;min=100ms;max=900ms', 500],
    ['latency=normal;mean=300ms;deviation=50ms', 300],
    ['latency=exponential;mean=300ms', 300],
    // The mean of a Pareto distribution: min * shape / (shape - 1).
    ['latency=pareto;min=100ms;shape=4', 133],
  ];
  for (const [text, expected] of means) {
    const latency = readFaults(text)[0]?.latency;
    assert.ok(latency);
    const drawn = numbers.map((number) => drawLatency(latency, 1, number));
    const mean = drawn.reduce((sum, ms) => sum + ms, 0) / drawn.length;
    assert.ok(Math.abs(mean / expected - 1) < 0.06, `${text}: ${mean}`);
    assert.ok(drawn.every((ms) => Number.isInteger(ms) && ms >= 0 && ms <= MAX_LATENCY_MS));
  }
  const endless = readFaults('latency=pareto;min=30s;shape=0.1')[0]?.latency;
  assert.ok(endless && drawLatency(endless, 1, 1) === MAX_LATENCY_MS);
});
