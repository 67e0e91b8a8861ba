import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SiteLimits } from '@petstore/site/site/site-limits.ts';
import { coverNothing } from '@petstore/test-support/program.ts';
import type { BuildInput } from '../../../server/src/deploys/artifact.ts';
import { DEPLOY_LIMITS } from '../../../server/src/deploys/deploy-limits.ts';
import { zipOf } from '../../support/archives.ts';
import { buildInMemory, built, textOf } from '../../support/build-site.ts';
import { largeDocument } from '../../support/large-document.ts';

coverNothing();

const REF = { $ref: '#/components/parameters/shared' };

/** Each operation refers to the same parameter, schema, answer and body. */
function sharing(operations: number, long: string, others: object = {}) {
  const schema = {
    type: 'object',
    description: long,
    properties: { kind: { type: 'string', description: long } },
    example: { kind: long },
  };
  return {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    components: {
      schemas: { Shared: schema },
      parameters: { shared: { name: 'p', in: 'query', description: long, schema: {} } },
      responses: {
        Shared: { description: long, headers: { H: { description: 'h', schema: {} } } },
      },
    },
    paths: Object.fromEntries(
      Array.from({ length: operations }, (_, at) => [
        `/p${at}`,
        {
          post: {
            parameters: [REF],
            requestBody: {
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Shared' } } },
            },
            responses: { 200: { $ref: '#/components/responses/Shared' } },
            ...others,
          },
        },
      ]),
    ),
  };
}

async function problemOf(input: BuildInput): Promise<string> {
  const result = await buildInMemory(input);
  assert.ok('problems' in result, 'it was built');
  assert.equal(result.problems.length, 1);
  return result.problems[0]?.message ?? '';
}

const documentOf = (document: object | string): BuildInput => ({
  kind: 'document',
  bytes: Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)),
  name: 'openapi.json',
});

test('what many operations share stands shortened in each, and what is their own stands whole', async () => {
  const long = 'It is the shared one. '.repeat(5_000);
  const own = 'It is my own. '.repeat(100).trim();
  const artifact = await built(
    sharing(1, long, { description: own, responses: { 200: { description: own } } }),
  );
  const text = textOf(artifact, '/reference/operations/post-p0.md');
  assert.ok(text.length < 10_000, `${text.length} letters`);
  assert.equal(text.split(own).length - 1, 2);
  assert.match(text, /\| `p` \| query .* It is the shared one\. It.{400,500}… \|/);
  assert.match(text, /The example is long: see the OpenAPI document/);
  assert.match(text, /--data-binary '@body\.json'/);
});

/** An upload of which the site may have no more than that. */
const allowing = (input: BuildInput, site: Partial<SiteLimits>): BuildInput => ({
  ...input,
  limits: { ...DEPLOY_LIMITS, site: { ...DEPLOY_LIMITS.site, ...site } },
});

test('a small document that asks for a site larger than the operator allows is refused', async () => {
  const enough = 'x'.repeat(30_000);
  const security = Array.from({ length: 500 }, (_, at) => ({ [`key${at}${'y'.repeat(80)}`]: [] }));
  const document = documentOf({ ...sharing(500, enough), security });
  assert.ok(document.bytes.length < 1_000_000);
  assert.match(
    await problemOf(allowing(document, { bytes: 20_000_000 })),
    /^The site would have more than 20\.0 MB\..*DASHBOARD_MAX_SITE_BYTES/,
  );
});

test('a document of more operations than a site has files is refused before its pages are made', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 3_001 }, (_, at) => [
      `/p${at}`,
      { get: { responses: { 200: { description: 'x' } } } },
    ]),
  );
  const document = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths };
  assert.match(
    await problemOf(allowing(documentOf(document), { files: 6_000 })),
    /^The site would have 6,006 files or more, and may have 6,000:.*DASHBOARD_MAX_SITE_FILES/,
  );
});

test('guides whose pages together are more than a site may be are refused', async () => {
  const pages = Array.from({ length: 100 }, (_, at) => ({
    name: `p${at}.md`,
    content: `# ${at}\n\n${'word '.repeat(2_000)}`,
  }));
  const bytes = zipOf([{ name: 'docs.yaml', content: 'title: T' }, ...pages]);
  const input: BuildInput = { kind: 'zip', bytes, name: 'docs.zip' };
  assert.match(
    await problemOf(allowing(input, { bytes: 1_500_000 })),
    /^The site would have more than 1\.5 MB/,
  );
});

test('of many operations each shows less of what they share, so that honest documents stay small', async () => {
  const artifact = await built(largeDocument(2_000));
  const sizes = Object.entries(artifact.manifest.files).map(([path, { size }]) =>
    /^\/reference\/group.*\.md$/.test(path) ? size : 0,
  );
  const all = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(all < 15_000_000, `${all} bytes`);
});
