import { mkdirSync, writeFileSync } from 'node:fs';
import { simulateYear } from '../../apps/dashboard/test/certificates/year/year.ts';
import { yearPlan } from '../../apps/dashboard/test/certificates/year/year-plan.ts';
import { commit } from '../../packages/cluster/src/run/commit.ts';
import { yearChartSvg } from './certificates/year-chart.ts';
import type { YearResults } from './certificates/year-results.ts';
import { emptyFolder } from './data.ts';
import { BenchError } from './failure.ts';
import { RESULTS } from './paths.ts';
import { main, readOptions } from './run.ts';
import { whole } from './table.ts';

const HELP = `npm run bench:certificates -- [options]

Simulates a year of certificates over the dashboard's own rules, on a virtual clock: three authorities that fail in
turn, lifetimes from 90 days to one, certificates that are revoked, and limits that are enforced. Fails where a name is
without a valid certificate, or a limit is reached. Writes bench/results/certificates.json and certificates.svg.

  --names N      custom domains (default 10000)
  --days N       length of the year (default 365)
  --data DIR     folder for the database (default bench/data)
  --help         show this
`;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

await main(async () => {
  const options = readOptions(HELP, { names: 10_000, days: 365 }, ['data']);
  const { names, days } = options;
  const folder = emptyFolder('certificates', options.data);
  const plan = yearPlan(`sqlite:${folder}/dashboard.db`, { names, days });
  const year = await simulateYear({
    ...plan,
    onDay({ day, issued, without }) {
      if (day % 10 === 0) console.log(`day ${day}: ${issued.join(', ')}; without: ${without}`);
    },
  });
  const results: YearResults = {
    ...{ commit: commit(), date: new Date().toISOString(), names, issued: year.issued },
    start: new Date(plan.start).toISOString().slice(0, 10),
    without: Math.max(...year.days.map((day) => day.without)),
    leastLeftHours: Math.min(...year.days.map((day) => day.leastLeftMs)) / HOUR_MS,
    authorities: year.authorities.map((authority, place) => ({
      name: authority.plan.name,
      issued: year.days.reduce((sum, day) => sum + (day.issued[place] ?? 0), 0),
      ...{ crossed: authority.crossed, mostOrders: authority.mostOrders },
      validations: authority.validations.made,
      revoked: authority.revoked.replaced,
      longestRevokedMinutes: authority.revoked.longestMs / MINUTE_MS,
    })),
    days: year.days.map(({ issued }) => issued),
    failures: year.authorities.map((_, place) =>
      year.days.flatMap(({ day, failures }) => (failures[place]?.length ? [day] : [])),
    ),
  };
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}/certificates.json`, `${JSON.stringify(results)}\n`);
  writeFileSync(`${RESULTS}/certificates.svg`, yearChartSvg(results));
  const { without, leastLeftHours, authorities } = results;
  console.log(`${whole(results.issued)} certificates for ${whole(names)} names`);
  console.log(`least time left: ${leastLeftHours.toFixed(1)} hours`);
  for (const authority of authorities) console.log(JSON.stringify(authority));
  if (without > 0) throw new BenchError(`${without} names had no valid certificate`);
  const crossed = authorities.filter((one) => one.crossed > 0).map(({ name }) => name);
  if (crossed.length > 0) throw new BenchError(`limits were reached at: ${crossed.join(', ')}`);
});
