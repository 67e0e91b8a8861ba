import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { killUnderLoad } from './kill-under-load.ts';

// `npm run test:events-kill`: twenty runs on each engine, which take some twenty minutes.

coverNoPrograms();

const RUNS = Number(process.env.EVENTS_KILL_RUNS ?? 20);

for (let run = 1; run <= RUNS; run++) {
  onSharedEngines(`run ${run}: each committed change is told once`, async (t, engine) => {
    const { events, delivered } = await killUnderLoad(t, engine, { kills: 3, hasWebhooks: true });
    t.diagnostic(`${events} events, ${delivered} deliveries to 3 webhooks`);
  });
}
