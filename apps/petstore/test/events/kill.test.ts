import { onSharedEngines as test } from '@petstore/test-support/engines.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { killUnderLoad } from './kill/kill-under-load.ts';

coverNoPrograms();

test('killed at any moment, the log has exactly one event for each change that was committed', async (t, engine) => {
  await killUnderLoad(t, engine, { kills: 2, hasWebhooks: false });
});
