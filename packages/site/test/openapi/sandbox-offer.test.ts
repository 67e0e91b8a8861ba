import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenApiDocument } from '../../src/openapi/openapi-types.ts';
import { readingFindings } from '../../src/openapi/reading-findings.ts';
import { sandboxOffer } from '../../src/openapi/sandbox-offer.ts';

const GOOD = { operationId: 'make', credential: '/a~1b/key', expiresAt: '/ends' };

function documentWith(field: unknown, post: object = {}, path = '/sandboxes'): OpenApiDocument {
  const operation = { operationId: 'make', summary: 'Make', security: [{}], ...post };
  return {
    openapi: '3.1.1',
    security: [{ key: [] }],
    paths: { [path]: { post: operation }, '/other': { $ref: '#/x' } },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', 'x-sandbox': field } },
    },
  } as unknown as OpenApiDocument;
}

function offerOf(document: OpenApiDocument) {
  const { key } = (document as unknown as { components: { securitySchemes: { key: object } } })
    .components.securitySchemes;
  return sandboxOffer(document, key as Record<string, unknown>);
}

test('a scheme offers a sandbox by an operation that anyone can send', () => {
  const offer = { path: '/sandboxes', credential: '/a~1b/key', expiresAt: '/ends' };
  assert.deepEqual(offerOf(documentWith(GOOD)), offer);
  assert.deepEqual(offerOf(documentWith(GOOD, { security: [] })), offer);
  assert.deepEqual(offerOf(documentWith(GOOD, { security: [{ key: [] }, {}] })), offer);
  const { expiresAt: _, ...endless } = GOOD;
  assert.deepEqual(offerOf(documentWith(endless)), { path: '/sandboxes', credential: '/a~1b/key' });
  assert.equal(sandboxOffer(documentWith(GOOD), {}), undefined);
});

test('a field that cannot be followed is ignored, and its author told why', () => {
  const cases: [OpenApiDocument, RegExp][] = [
    [documentWith('make'), /it must be an object with an operationId/],
    [documentWith({ ...GOOD, credential: 'key' }), /credential must be a JSON pointer/],
    [documentWith({ ...GOOD, expiresAt: 5 }), /expiresAt must be a JSON pointer/],
    [documentWith({ ...GOOD, operationId: 'none' }), /no POST .* has the operationId none/],
    [documentWith(GOOD, { security: [{ key: [] }] }), /without a need of credentials/],
    [documentWith(GOOD, { security: undefined }), /without a need of credentials/],
    [documentWith(GOOD, {}, '/sandboxes/{kind}'), /without parameters in its path/],
  ];
  for (const [document, why] of cases) {
    assert.match(String(offerOf(document)), why);
    const found = [...readingFindings(document)].filter(({ rule }) => rule === 'ignored-extension');
    assert.equal(found.length, 1);
    assert.match(found[0]?.message ?? '', /^`x-sandbox` of the security scheme key is ignored: /);
    assert.equal(found[0]?.path, '/components/securitySchemes/key/x-sandbox');
  }
  assert.deepEqual(
    [...readingFindings(documentWith(GOOD))].filter(({ rule }) => rule === 'ignored-extension'),
    [],
  );
});
