import { mkdirSync } from 'node:fs';
import { checkContender } from './checks.ts';
import {
  BARE,
  type Contender,
  copySeed,
  type Load,
  makeSeeds,
  prepareContenders,
  type Seeds,
} from './contenders.ts';
import { SEEDED } from './data.ts';
import { BenchError, ofRun } from './failure.ts';
import { runLoad } from './loads.ts';
import type { Machine } from './machine.ts';
import { stopServers } from './processes.ts';
import type { Cell, Comparison, Sample } from './results.ts';
import { isGood, type Running, startServer } from './service.ts';
import { spreadsOf } from './statistics.ts';

const WARM_UP_SECONDS = 1;
const WARM_UP_CONNECTIONS = 32;

/** What an answer may differ in size from the one that was checked: ids and dates vary by digits. */
const SIZE_TOLERANCE = 0.05;

/** What a load costs beside its length: to start the client and to let the server settle. */
const OVERHEAD_SECONDS = 0.1;
const START_SECONDS = 1;

export interface Options {
  readonly rounds: number;
  /** The length of each load in each round. */
  readonly seconds: number;
  /** In the order in which they take turns. The others are compared to the first, which has every load. */
  readonly contenders: readonly Contender[];
  readonly loads: readonly Load[];
  /** The numbers of connections of each load. */
  readonly connections: (load: Load) => readonly number[];
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

/**
 * Measures contenders in turns, on files in a folder, and says how far it is. Throws BenchError where one cannot be
 * prepared, or a request fails.
 */
export async function compare(
  wanted: Options,
  { machine, folder }: { readonly machine: Machine; readonly folder: string },
): Promise<Comparison> {
  const { contenders, leftOut } = prepareContenders(wanted.contenders);
  const options = { ...wanted, contenders };
  const { rounds, seconds } = options;
  const seeds = makeSeeds(folder);
  console.log(`About ${Math.ceil(estimateSeconds(options) / 60)} minutes.\n`);
  const samples: Tagged[] = [];
  for (let round = 1; round <= rounds; round++) {
    const begun = performance.now();
    samples.push(...(await runRound(options, `${folder}/round-${round}`, seeds)));
    const took = Math.round((performance.now() - begun) / 1_000);
    console.log(`Round ${round} of ${rounds}: ${took} s`);
  }
  return {
    machine,
    rounds,
    seconds,
    pets: SEEDED,
    contenders: contenders.map(({ name, label, commitsEach, runsOn }) => ({
      ...{ name, label, commitsEach, runsOn },
    })),
    leftOut,
    cells: summarize(samples),
  };
}

function takesPart({ name, loads }: Contender, load: Load): boolean {
  // The bare server has no cache, but it runs beside all: it is what each load is compared to.
  return loads.includes(load) || (name === BARE && load === 'list-uncached');
}

function estimateSeconds({ rounds, seconds, contenders, loads, connections }: Options): number {
  let perRound = contenders.length * START_SECONDS;
  for (const load of loads) {
    const count = contenders.filter((contender) => takesPart(contender, load)).length;
    perRound += count * WARM_UP_SECONDS;
    perRound += count * connections(load).length * (seconds + OVERHEAD_SECONDS);
  }
  return rounds * perRound;
}

/**
 * One round: every contender is started on a fresh copy of the data, checked and warmed up; then they
 * take turns under each load. All are up together, idle while it is not their turn, so that little
 * time passes between a contender's turn and the first one's.
 */
async function runRound(
  { contenders, loads, seconds, connections: numbers }: Options,
  folder: string,
  seeds: Seeds,
): Promise<Tagged[]> {
  mkdirSync(folder);
  const { key } = seeds;
  const participants: Participant[] = [];
  for (const contender of contenders) {
    if (!loads.some((load) => takesPart(contender, load))) continue;
    const data = copySeed(contender, seeds, folder);
    const command = (port: number) => contender.command(port, data, key);
    const running = await startServer(command, isGood(contender.list, key));
    participants.push({ ...running, contender, answerBytes: new Map() });
    await checkContender(contender, running.origin, key, data);
  }
  const samples: Tagged[] = [];
  for (const load of loads) {
    const turns = participants.filter(({ contender }) => takesPart(contender, load));
    for (const turn of turns) {
      await measureLoad(turn, load, WARM_UP_CONNECTIONS, WARM_UP_SECONDS, key);
    }
    for (const connections of numbers(load)) {
      let first: number | undefined;
      for (const turn of turns) {
        const { name } = turn.contender;
        const sample = await measureLoad(turn, load, connections, seconds, key);
        first ??= sample.requestsPerSecond;
        const ratio = sample.requestsPerSecond / first;
        samples.push({ load, connections, contender: name, sample: { ...sample, ratio } });
      }
    }
  }
  await stopServers();
  return samples;
}

/** One turn. Throws BenchError when a request failed or was answered with something else. */
async function measureLoad(
  { contender, origin, server, answerBytes }: Participant,
  load: Load,
  connections: number,
  seconds: number,
  key: string,
): Promise<Omit<Sample, 'ratio'>> {
  const where = `${contender.label}, ${load} with ${connections} connections`;
  const run = { load, contender, origin, key, connections, seconds };
  const { result, tookMs, cpuMs, peakMiB } = await server.use(() => ofRun(where, runLoad(run)));

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
    cpu: cpuMs / tookMs,
    cpuUs: (cpuMs * 1_000) / result.requests,
    peakMiB,
  };
}

function summarize(samples: readonly Tagged[]): Cell[] {
  const groups = Map.groupBy(
    samples,
    ({ load, connections, contender }) => `${load} ${connections} ${contender}`,
  );
  return [...groups.values()].map((group) => {
    const [{ load, connections, contender }] = group as [Tagged];
    const spreads = spreadsOf(group.map(({ sample }) => sample));
    return { load, connections, contender, ...spreads };
  });
}
