import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import fc from 'fast-check';
import { operationsOf, readApiDocument } from '../support/api-document.ts';
import { createProject } from '../support/project.ts';
import { startService } from '../support/service.ts';

/** What a field, a parameter or a header may hold, and a database may choke on. */
const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    'pets',
    '',
    '\0',
    'a\0b',
    '\ud800',
    '\udfff\ud800',
    '__proto__',
    "'; DROP TABLE users; --",
    '%',
    '9'.repeat(30),
    '-1',
    'NaN',
    'x'.repeat(300),
    'é'.repeat(150),
    'root@example.com',
    'a@b',
  ),
);

const FIELDS = [
  ...['name', 'slug', 'email', 'password', 'invitation', 'current', 'next', 'role', 'plan'],
  ...['project', 'expiresInDays', 'confirm', '__proto__', 'constructor'],
];

const oddValue = fc.oneof(
  { weight: 4, arbitrary: oddText },
  fc.constantFrom(
    'owner',
    'viewer',
    'pro',
    'correct horse battery',
    1e308,
    -0,
    2 ** 53,
    null,
    true,
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

const body = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .dictionary(fc.constantFrom(...FIELDS), oddValue)
      .map((value) => JSON.stringify(value)),
  },
  fc.json({ maxDepth: 3 }),
  oddText,
);

/** A parameter in a path: a segment, escaped or with escapes that are none. */
const segment = fc.oneof(
  fc.constantFrom(
    'pets',
    'pets',
    'none',
    '%00',
    'a%00',
    '%ff',
    '%ed%a0%80',
    '%zz',
    '%2F',
    '%2e%2e',
    '~',
  ),
  oddText.map((text) => encodeURIComponent(text.toWellFormed()) || '%20'),
);

const query = fc.dictionary(
  fc.constantFrom('limit', 'cursor', 'activate', 'x', '__proto__'),
  fc.oneof(
    oddText.map((text) => text.toWellFormed()),
    oddText.map((text) => Buffer.from(text).toString('base64url')),
  ),
  { maxKeys: 2 },
);

/** Signing out would have all that follow refused at the door. */
const LEFT_OUT = ['DELETE /api/session'];

onBothEngines('nothing that anybody sends makes the service fail', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const operations = operationsOf(await readApiDocument(service)).filter(
    (operation) => !LEFT_OUT.includes(operation),
  );
  const request = fc.record({
    operation: fc.constantFrom(...operations),
    segments: fc.array(segment, { minLength: 2, maxLength: 2 }),
    query,
    body,
    fileName: fc.oneof(fc.constantFrom('a.json', '%', '%00'), fc.string({ maxLength: 8 })),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ operation, segments, query, body, fileName }) => {
      const [method = '', template = ''] = operation.split(' ');
      const rest = [...segments];
      const path = template.replaceAll(/\{\w+\}/g, () => rest.shift() ?? 'x');
      const hasBody = method !== 'GET';
      const headers = {
        'content-type': 'application/json',
        'x-file-name': fileName.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, ''),
      };
      const answer = await root.call(
        method,
        `${path}?${new URLSearchParams(query)}`,
        hasBody ? body : undefined,
        headers,
      );
      const text = await answer.text();
      assert.ok(answer.status < 500, `${answer.status} ${text}`);
      if (answer.status >= 400) {
        assert.deepEqual(Object.keys(JSON.parse(text)), ['code', 'message', 'status']);
      }
    }),
    { numRuns: 500 },
  );
  const failures = service.logged.filter((line) => line.includes('request failed'));
  assert.deepEqual(failures, []);
});
