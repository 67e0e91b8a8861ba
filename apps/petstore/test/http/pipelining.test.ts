import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { startService } from '../support/service.ts';

test('requests that are sent at once are handled as if each had waited for its answer', async (t) => {
  const { port, key } = await startService(t);
  const head = (line: string) => `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
  const body = '{"name":"Rex","categoryId":1}';
  const post = `${head('POST /v1/pets')}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const get = (path: string) => `${head(`GET /v1/pets${path}`)}\r\n`;

  const once = [get(''), post, get(''), get('/1'), get('/2'), post, get('/2')];
  const last = `${head('GET /v1/pets?status=available')}Connection: close\r\n\r\n`;
  const answers = await exchange(port, [...once, last].join(''), { timeoutMs: 5_000 });
  const rex = (id: number) => `{"id":${id},"name":"Rex","categoryId":1,"status":"available"}`;
  assert.deepEqual(
    answers.map(({ status, body }) => (status === 404 ? '404' : body)),
    ['[]', rex(1), `[${rex(1)}]`, rex(1), '404', rex(2), rex(2), `[${rex(1)},${rex(2)}]`],
  );
});
