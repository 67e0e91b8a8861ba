import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildRequest, parameterKey, type RequestValues } from '../../src/request/build-request.ts';
import { exampleBody } from '../../src/request/example-values.ts';
import type { MediaData, OperationData, SchemeData } from '../../src/request/operation-data.ts';

const base: OperationData = {
  method: 'GET',
  path: '/pets/{petId}',
  title: '',
  servers: [
    { url: 'https://{region}.example.com/v1/', variables: [{ name: 'region', default: 'eu' }] },
  ],
  parameters: [
    { name: 'petId', in: 'path' },
    { name: 'tags', in: 'query' },
    { name: 'X-Trace', in: 'header' },
    { name: 'session', in: 'cookie' },
  ],
  accept: 'application/json',
};

test('each value stands in its place, and what was not entered is not sent', () => {
  const [petId, tags, trace, session] = (base.parameters ?? []).map(parameterKey) as [
    string,
    string,
    string,
    string,
  ];
  assert.equal(buildRequest(base).url, 'https://eu.example.com/v1/pets/{petId}');
  const parameters = new Map<string, string | string[]>([
    [petId, '$&/9'],
    [tags, ['a', 'b']],
    [trace, 'x y'],
    [session, 's'],
  ]);
  assert.deepEqual(buildRequest(base, { parameters, server: 'http://127.0.0.1:80/' }), {
    method: 'GET',
    url: 'http://127.0.0.1:80/pets/%24%26%2F9?tags=a&tags=b',
    headers: [
      ['Accept', 'application/json'],
      ['X-Trace', 'x y'],
      ['Cookie', 'session=s'],
    ],
  });
});

const SCHEMES: readonly [SchemeData, string][] = [
  [{ name: 's', type: 'apiKey', in: 'header', key: 'X-Key' }, 'X-Key: k é'],
  [{ name: 's', type: 'apiKey', in: 'cookie', key: 'key' }, 'Cookie: key=k%20%C3%A9'],
  [{ name: 's', type: 'http', scheme: 'basic' }, 'Authorization: Basic dTprIMOp'],
  [{ name: 's', type: 'http', scheme: 'bearer' }, 'Authorization: Bearer k é'],
  [{ name: 's', type: 'http', scheme: 'hoba' }, 'Authorization: hoba k é'],
  [{ name: 's', type: 'oauth2' }, 'Authorization: Bearer k é'],
  [{ name: 's', type: 'openIdConnect' }, 'Authorization: Bearer k é'],
];

test('each scheme sends its credential where it belongs', () => {
  const credentials = new Map([['s', { user: 'u', value: 'k é' }]]);
  const { accept: _, ...data } = base;
  for (const [scheme, header] of SCHEMES) {
    const { headers } = buildRequest({ ...data, schemes: [scheme] }, { credentials });
    assert.deepEqual(
      headers.map((one) => one.join(': ')),
      [header],
    );
  }
  const inQuery: SchemeData = { name: 's', type: 'apiKey', in: 'query', key: 'key' };
  const { url } = buildRequest({ ...data, path: '/a?b=1', schemes: [inQuery] }, { credentials });
  assert.equal(url, 'https://eu.example.com/v1/a?b=1&key=k%20%C3%A9');
});

const FORMS: readonly [MediaData, unknown][] = [
  [
    {
      type: 'application/x-www-form-urlencoded',
      example: '{"a":"x y&z","n":9007199254740993,"l":["p","q"],"o":{"k":1}}',
    },
    'a=x+y%26z&n=9007199254740993&l=p&l=q&o=%7B%22k%22%3A1%7D',
  ],
  [
    {
      type: 'application/x-www-form-urlencoded',
      example: '{"o":{"k":1,"l":["p"]},"l":["p","q"]}',
      encoding: [
        { name: 'o', style: 'deepObject' },
        { name: 'l', style: 'pipeDelimited' },
      ],
    },
    'o%5Bk%5D=1&o%5Bl%5D%5B0%5D=p&l=p%7Cq',
  ],
  [
    {
      type: 'multipart/form-data',
      example: '{"a":"x","l":["p","q"],"o":{"k":9007199254740993},"t":"<a/>"}',
      encoding: [{ name: 't', contentType: 'text/xml, text/plain' }],
    },
    [
      { name: 'a', content: 'x' },
      { name: 'l', content: 'p' },
      { name: 'l', content: 'q' },
      { name: 'o', content: '{"k":9007199254740993}', type: 'application/json' },
      { name: 't', content: '<a/>', type: 'text/xml' },
    ],
  ],
];

test('forms are sent as the Encoding Object says', () => {
  for (const [media, wanted] of FORMS) {
    const body = exampleBody(media) as NonNullable<RequestValues['body']>;
    const { body: built } = buildRequest({ ...base, body: { content: [media] } }, { body });
    assert.deepEqual(
      built?.kind === 'parts' ? built.parts : built?.kind === 'text' && built.text,
      wanted,
    );
  }
});

test('a multipart body that is written as it is sent has its boundary in the media type', () => {
  const text = '--x\nContent-Type: text/plain\n\nHi\n--x--\n';
  const { headers, body } = buildRequest(base, { body: { type: 'multipart/mixed', text } });
  assert.deepEqual(headers.at(-1), ['Content-Type', 'multipart/mixed; boundary="x"']);
  const sent = '--x\r\nContent-Type: text/plain\r\n\r\nHi\r\n--x--';
  assert.deepEqual(body, { kind: 'text', type: 'multipart/mixed; boundary="x"', text: sent });
});
