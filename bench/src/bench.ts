import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Cell, type Comparison, findCell, type Sample } from './cells.ts';
import { checkContender } from './checks.ts';
import {
  BARE,
  CONTENDERS,
  type Contender,
  copySeed,
  type Files,
  LOADS,
  type Load,
  makeSeeds,
  prepareContenders,
  type Seeds,
} from './contenders.ts';
import { emptyFolder, SEEDED } from './data.ts';
import { BenchError } from './failure.ts';
import { runLoad } from './loads.ts';
import { choosePinning, describeMachine, type Pinning } from './machine.ts';
import { publish } from './publish.ts';
import { main, positive, subset } from './run.ts';
import { type Running, startServer } from './service.ts';
import { type Spread, spread } from './statistics.ts';
import { precise, table, whole } from './table.ts';

const HELP = `npm run bench -- [options]

Measures this service beside its peers and beside a bare server, in turns, and writes
bench/results/latest.json, the chart, and the tables of docs/performance.md.

  --rounds N     rounds; each starts all servers anew (default 5)
  --seconds N    length of each load in each round (default 2)
  --only A,B     contenders, besides ${BARE}: ${CONTENDERS.map(({ name }) => name).join(', ')}
  --loads A,B    loads: ${LOADS.join(', ')}
  --data DIR     folder for the databases, on a disk (default bench/data)
  --help         show this

A run with --only or --loads is shown, but not written: the results hold whole runs.
`;

/** The writes also run with 64 connections, which is where their targets are set. */
const CONNECTIONS: Record<Load, readonly number[]> = {
  list: [1, 32, 128],
  'list-uncached': [1, 32, 128],
  get: [1, 32, 128],
  create: [1, 32, 64, 128],
  mix: [1, 32, 64, 128],
};

const WARM_UP_SECONDS = 1;
const WARM_UP_CONNECTIONS = 32;

/** What an answer may differ in size from the one that was checked: ids and dates vary by digits. */
const SIZE_TOLERANCE = 0.05;

/** What a load costs beside its length: to start the client and to let the server settle. */
const OVERHEAD_SECONDS = 0.1;
const START_SECONDS = 1;

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly contenders: readonly Contender[];
  readonly loads: readonly Load[];
  readonly data: string | undefined;
}

interface Participant extends Running {
  readonly contender: Contender;
  /** Mean size of an answer in bytes, by load, as the warm-up had it. */
  readonly answerBytes: Map<Load, number>;
}

interface Tagged {
  readonly load: Load;
  readonly connections: number;
  readonly contender: string;
  readonly sample: Sample;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      only: { type: 'string' },
      loads: { type: 'string' },
      data: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const names = subset(
    '--only',
    values.only,
    CONTENDERS.map(({ name }) => name),
  );
  return {
    rounds: positive('--rounds', values.rounds),
    seconds: positive('--seconds', values.seconds),
    contenders: CONTENDERS.filter(({ name }) => name === BARE || names.includes(name)),
    loads: subset('--loads', values.loads, LOADS),
    data: values.data,
  };
}

await main(async () => {
  const options = readOptions();
  const { rounds, seconds, contenders, loads } = options;
  const { pinning, reason } = choosePinning();
  const machine = describeMachine(pinning);
  prepareContenders();
  const folder = emptyFolder('comparison', options.data);
  const seeds = makeSeeds(folder);

  console.log(`${machine.cpu}, ${machine.cores} cores; Node ${machine.node}; ${machine.wrk}`);
  console.log(
    pinning
      ? `Server on core ${pinning.server}, client on core ${pinning.client}.`
      : `Server and client share the cores: ${reason}.`,
  );
  console.log(`About ${Math.ceil(estimateSeconds(options) / 60)} minutes.\n`);

  const samples: Tagged[] = [];
  for (let round = 1; round <= rounds; round++) {
    const begun = performance.now();
    samples.push(...(await runRound(options, round, folder, seeds, pinning)));
    const took = Math.round((performance.now() - begun) / 1_000);
    console.log(`Round ${round} of ${rounds}: ${took} s`);
  }

  const comparison: Comparison = {
    machine,
    rounds,
    seconds,
    pets: SEEDED,
    contenders: contenders.map(({ name, label, commitsEach }) => ({ name, label, commitsEach })),
    cells: summarize(samples),
  };
  for (const load of loads) print(comparison, load);
  const isWhole = contenders.length === CONTENDERS.length && loads.length === LOADS.length;
  if (isWhole) publish('latest', comparison);
  else console.log('\nA part of the comparison; the results were left as they are.');
});

function takesPart({ name, loads }: Contender, load: Load): boolean {
  // The bare server has no cache, but it runs beside all: it is what each load is compared to.
  return loads.includes(load) || (name === BARE && load === 'list-uncached');
}

function estimateSeconds({ rounds, seconds, contenders, loads }: Options): number {
  let perRound = contenders.length * START_SECONDS;
  for (const load of loads) {
    const count = contenders.filter((contender) => takesPart(contender, load)).length;
    perRound += count * WARM_UP_SECONDS;
    perRound += count * CONNECTIONS[load].length * (seconds + OVERHEAD_SECONDS);
  }
  return rounds * perRound;
}

/**
 * One round: every contender is started on a fresh copy of the data, checked and warmed up; then they
 * take turns under each load. All are up together, idle while it is not their turn, so that little
 * time passes between a contender's turn and the bare server's.
 */
async function runRound(
  { contenders, loads, seconds }: Options,
  round: number,
  parent: string,
  seeds: Seeds,
  pinning: Pinning | undefined,
): Promise<Tagged[]> {
  const files: Files = { folder: `${parent}/round-${round}`, constants: seeds.constants };
  mkdirSync(files.folder);
  const { key } = seeds;
  const participants: Participant[] = [];
  const samples: Tagged[] = [];
  try {
    for (const contender of contenders) {
      if (!loads.some((load) => takesPart(contender, load))) continue;
      copySeed(contender, seeds, files);
      const running = await startServer(
        (port) => contender.command(port, files, key),
        contender.list,
        key,
        pinning?.server,
      );
      participants.push({ ...running, contender, answerBytes: new Map() });
      await checkContender(contender, running.origin, key, contender.data(files));
    }
    for (const load of loads) {
      const turns = participants.filter(({ contender }) => takesPart(contender, load));
      const measure = (participant: Participant, connections: number, seconds: number) =>
        measureLoad(participant, load, connections, seconds, key, pinning);
      for (const turn of turns) await measure(turn, WARM_UP_CONNECTIONS, WARM_UP_SECONDS);
      for (const connections of CONNECTIONS[load]) {
        let bare: number | undefined;
        for (const turn of turns) {
          const { name } = turn.contender;
          const sample = await measure(turn, connections, seconds);
          bare ??= sample.requestsPerSecond;
          const ratio = sample.requestsPerSecond / bare;
          samples.push({ load, connections, contender: name, sample: { ...sample, ratio } });
        }
      }
    }
  } finally {
    await Promise.all(participants.map(({ server }) => server.stop()));
  }
  return samples;
}

/** One turn. Throws BenchError when a request failed or was answered with something else. */
async function measureLoad(
  { contender, origin, server, answerBytes }: Participant,
  load: Load,
  connections: number,
  seconds: number,
  key: string,
  pinning: Pinning | undefined,
): Promise<Omit<Sample, 'ratio'>> {
  const where = `${contender.label}, ${load} with ${connections} connections`;
  await server.settle();
  server.resetPeak();
  const cpuBefore = server.cpuMs();
  const begun = performance.now();
  const run = { load, contender, origin, key, connections, seconds, core: pinning?.client };
  const result = await runLoad(run).catch((error: Error) => {
    throw new BenchError(`The run is invalid: ${where}: ${error.message}.`);
  });
  const wallMs = performance.now() - begun;
  const cpuMs = server.cpuMs() - cpuBefore;
  server.assertAlive();

  const expected = answerBytes.get(load) ?? result.answerBytes;
  answerBytes.set(load, expected);
  // A mix is weighed over two kinds of answer, whose shares vary.
  if (load !== 'mix' && Math.abs(result.answerBytes / expected - 1) > SIZE_TOLERANCE) {
    throw new BenchError(
      `The run is invalid: ${where}: an answer has ${Math.round(result.answerBytes)} bytes on average, and had ${Math.round(expected)}.`,
    );
  }
  return {
    requests: result.requests,
    requestsPerSecond: result.requestsPerSecond,
    p50: result.p50 / 1_000,
    p99: result.p99 / 1_000,
    p999: result.p999 / 1_000,
    readsP99: result.reads && result.reads.p99 / 1_000,
    createShare: result.createShare,
    cpu: cpuMs / wallMs,
    peakMiB: server.peakMiB(),
  };
}

function summarize(samples: readonly Tagged[]): Cell[] {
  const groups = Map.groupBy(
    samples,
    ({ load, connections, contender }) => `${load} ${connections} ${contender}`,
  );
  return [...groups.values()].map((group) => {
    const [{ load, connections, contender }] = group as [Tagged];
    const values = (figure: keyof Sample) =>
      group.map(({ sample }) => sample[figure]).filter((value) => value !== undefined);
    const of = (figure: keyof Sample): Spread => spread(values(figure));
    const ofSome = (figure: keyof Sample) => (values(figure).length > 0 ? of(figure) : undefined);
    return {
      load,
      connections,
      contender,
      requests: of('requests'),
      requestsPerSecond: of('requestsPerSecond'),
      ratio: of('ratio'),
      p50: of('p50'),
      p99: of('p99'),
      p999: of('p999'),
      readsP99: ofSome('readsP99'),
      createShare: ofSome('createShare'),
      cpu: of('cpu'),
      peakMiB: of('peakMiB'),
    };
  });
}

function print(comparison: Comparison, load: Load): void {
  const head = ['', 'req/s', '(min–max)', 'of bare', 'p50 ms', 'p99 ms', 'p99.9 ms'];
  if (load === 'mix') head.push('reads p99');
  head.push('cores', 'MiB');
  for (const connections of CONNECTIONS[load]) {
    const rows = comparison.contenders.flatMap(({ name, label }) => {
      const cell = findCell(comparison, load, connections, name);
      if (!cell) return [];
      const { requestsPerSecond: rate, ratio, p50, p99, p999, readsP99, cpu, peakMiB } = cell;
      return [
        [
          label,
          whole(rate.median),
          `${whole(rate.min)}–${whole(rate.max)}`,
          ratio.median.toFixed(2),
          ...[p50, p99, p999].map(({ median }) => precise(median)),
          ...(load === 'mix' ? [readsP99 ? precise(readsP99.median) : '–'] : []),
          cpu.median.toFixed(2),
          whole(peakMiB.median),
        ],
      ];
    });
    console.log(`\n${load}, ${connections} connection${connections === 1 ? '' : 's'}\n`);
    console.log(table(head, rows));
  }
}
