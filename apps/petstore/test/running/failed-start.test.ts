import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '@petstore/service/metrics/instruments.ts';
import pino from 'pino';
import { runService } from '../../src/commands/run-service.ts';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/store/open-store.ts';

test('a start that fails ends what the service does from time to time, and then the store', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
  const starting = runService({
    ...{ config: readConfig({}), version: '1.0.0', log, metrics: new Metrics() },
    store: await openStore('sqlite::memory:'),
    listen: () => Promise.reject(new Error('The port is taken.')),
  });
  await assert.rejects(starting, /The port is taken\./);
  t.mock.timers.tick(60_000);
  await new Promise(setImmediate);
  assert.deepEqual(lines, []);
});
