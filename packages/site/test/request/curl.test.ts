import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProgram } from '@petstore/test-support/program.ts';
import type { BuiltRequest } from '../../src/request/build-request.ts';
import { curlCommand } from '../../src/request/curl.ts';

const url = 'https://a.example/{id}';

const CASES: readonly [BuiltRequest, string[]][] = [
  [{ method: 'GET', url: 'https://a.example', headers: [] }, ['https://a.example']],
  [{ method: 'HEAD', url: 'https://a.example', headers: [] }, ['--head', 'https://a.example']],
  [
    {
      method: 'POST',
      url,
      headers: [['X-A', "it's $HOME `x`"]],
      body: { kind: 'text', type: 'text/plain', text: '@\'\n"' },
    },
    ['--globoff', url, '--header', "X-A: it's $HOME `x`", '--data-raw', '@\'\n"'],
  ],
  [
    {
      method: 'PUT',
      url: 'https://a.example',
      headers: [],
      body: {
        kind: 'parts',
        type: 'multipart/form-data',
        parts: [
          { name: 'a', content: '@x;y' },
          { name: 'b', content: '{"c":1}', type: 'application/json' },
          { name: 'd', content: { name: 'e.png', type: '', size: 1 }, type: 'image/png' },
        ],
      },
    },
    [
      '--request',
      'PUT',
      'https://a.example',
      '--form-string',
      'a=@x;y',
      '--form',
      'b="{\\"c\\":1}";type=application/json',
      '--form',
      'd=@"e.png";type=image/png',
    ],
  ],
  [
    {
      method: 'POST',
      url,
      headers: [],
      body: { kind: 'parts', type: 'multipart/form-data', parts: [] },
    },
    ['--request', 'POST', '--globoff', url],
  ],
  [
    {
      method: 'POST',
      url: 'https://a.example',
      headers: [],
      body: { kind: 'text', type: 'multipart/mixed', text: "--b\r\n\r\nit's \\n\r\n--b--" },
    },
    ['https://a.example', '--data-raw', "--b\r\n\r\nit's \\n\r\n--b--"],
  ],
];

test('a shell gives curl exactly what the request has', async () => {
  for (const [request, words] of CASES) {
    const command = curlCommand(request).replace(/^curl/, `printf '%s\\0'`);
    const { stdout } = await runProgram('sh', ['-c', command], import.meta.dirname);
    assert.deepEqual(stdout.split('\0').slice(0, -1), words);
  }
});
