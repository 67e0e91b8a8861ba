import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { emptyFolder } from './data.ts';
import { BenchError } from './failure.ts';
import { hasH2load } from './h2load.ts';
import { pinCores } from './machine.ts';
import { runClient } from './processes.ts';
import { main, readOptions } from './run.ts';
import { DashboardUnderTest } from './sites/dashboard.ts';
import { type Spread, spread } from './statistics.ts';

const HELP = `npm run bench:readers -- [options]

Measures what counting readers adds to the processor time of a page. One dashboard serves two projects with the same
site, one of them counted; a browser's requests go to both in turns, as fast as they are answered. What a request costs
at a steady thousand a second is measured besides: there it costs more, whatever is counted. Prints the figures.

  --pairs N      turns of each (default 60)
  --seconds N    length of a turn (default 1)
  --data DIR     folder for the database, on a disk (default bench/data)
  --help         show this
`;

const CONNECTIONS = 10;
const STEADY_RATE = 1_000;
const STEADY_SECONDS = 20;

const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets': { get: { summary: 'List pets', responses: { 200: { description: 'Pets' } } } },
  },
});

/** What a browser says of itself when a person follows a link to a page. */
const BROWSER = [
  'user-agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-encoding: gzip, deflate, br',
  'sec-fetch-dest: document',
  'sec-fetch-mode: navigate',
  'sec-fetch-site: cross-site',
  'referer: https://search.example/',
];

await main(async () => {
  const DEFAULTS = { pairs: 60, seconds: 1 };
  const { pairs, seconds, data } = readOptions(HELP, DEFAULTS, ['data']);
  if (!hasH2load()) throw new BenchError('h2load is missing: install the package nghttp2-client.');
  pinCores();
  const folder = emptyFolder('readers', data);
  const dashboard = await DashboardUnderTest.start(`${folder}/dashboard`);
  const site = `${folder}/site`;
  mkdirSync(site);
  writeFileSync(`${site}/openapi.json`, DOCUMENT);
  // Both serve the same bytes: pages that ask their readers are changed where nothing is counted.
  writeFileSync(`${site}/docs.yaml`, 'title: Pets\nfeedback: false\n');
  for (const slug of ['counted', 'uncounted']) {
    await dashboard.createProject(slug);
    const { deploy } = await dashboard.deployFile(slug, site);
    if (deploy.state !== 'succeeded') throw new BenchError(JSON.stringify(deploy.errors));
  }
  await dashboard.call('PATCH', '/api/projects/uncounted', { countReaders: false });

  /** Microseconds of the dashboard's process for a request. */
  const costOf = async (slug: string, load: readonly string[]): Promise<number> => {
    const before = processorNs(dashboard.pid);
    const requests = await openFirstPage(dashboard.siteOf(slug), load);
    return (processorNs(dashboard.pid) - before) / 1_000 / requests;
  };
  const full = ['--duration', String(seconds)];
  for (const slug of ['counted', 'uncounted']) await costOf(slug, ['--duration', '5']);
  const turns: { counted: number; uncounted: number }[] = [];
  for (let at = 0; at < pairs; at++) {
    const isSwapped = at % 2 === 1;
    const first = await costOf(isSwapped ? 'uncounted' : 'counted', full);
    const second = await costOf(isSwapped ? 'counted' : 'uncounted', full);
    const [counted, uncounted] = isSwapped ? [second, first] : [first, second];
    turns.push({ counted, uncounted });
  }
  const steady = ['--rps', String(STEADY_RATE / CONNECTIONS)];
  steady.push('--requests', String(STEADY_RATE * STEADY_SECONDS));
  const atSteadyRate = await costOf('uncounted', steady);
  const show = (name: string, { min, median, max }: Spread) =>
    console.log(`${name}: ${median.toFixed(3)} (${min.toFixed(3)} to ${max.toFixed(3)})`);
  show('counted, µs', spread(turns.map(({ counted }) => counted)));
  show('not counted, µs', spread(turns.map(({ uncounted }) => uncounted)));
  show('ratio', spread(turns.map(({ counted, uncounted }) => counted / uncounted)));
  show('difference, µs', spread(turns.map(({ counted, uncounted }) => counted - uncounted)));
  console.log(`not counted, at ${STEADY_RATE} requests a second, µs: ${atSteadyRate.toFixed(1)}`);
});

/** Opens the first page of a site as browsers do. How often; throws where it was not shown each time. */
async function openFirstPage(site: string, load: readonly string[]): Promise<number> {
  const { host, port } = new URL(site);
  const args = ['--h1', '--clients', String(CONNECTIONS), ...load];
  for (const header of [`:authority: ${host}`, ...BROWSER]) args.push('--header', header);
  const { out, err } = await runClient('h2load', [...args, `http://127.0.0.1:${port}/`]);
  const found = /(\d+) succeeded, (\d+) failed/.exec(out);
  if (found?.[2] !== '0') throw new BenchError(`Not all were shown: ${err}${out}`);
  return Number(found[1]);
}

/** Processor time of all threads of a process so far, in nanoseconds, as the kernel's scheduler counts it. */
function processorNs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8'));
  return times.reduce((sum, time) => sum + Number(time.split(' ')[0]), 0);
}
