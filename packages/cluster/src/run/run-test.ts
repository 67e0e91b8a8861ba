import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, release } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopOnSignals } from '@petstore/service/shutdown.ts';
import { table } from '@petstore/service/table.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { startCluster } from '../cluster.ts';
import type { Fault } from '../faults/fault.ts';
import { FAULTS, findFault } from '../faults/faults.ts';
import { Stage, type Trial } from './stage.ts';

interface Options {
  readonly minutes: number;
  readonly random?: boolean;
  readonly only?: string;
  readonly log?: string;
}

/** Plays faults on a cluster of its own; whether nothing came out that must not. */
export async function runTest({ minutes, random = false, only, log }: Options): Promise<boolean> {
  const chosen = scenariosOf(random, only);
  const shutdown = stopOnSignals();
  const began = performance.now();
  const say = (what: string) => {
    const seconds = Math.round((performance.now() - began) / 1_000);
    process.stdout.write(`${`${seconds}`.padStart(5)} s  ${what}\n`);
  };
  const trials: Trial[] = [];
  try {
    const cluster = await startCluster(say);
    await shutdown.add(() => cluster.close());
    const stage = new Stage(cluster);
    stage.on('failure', (sentence) => say(`MUST NOT HAPPEN: ${sentence}`));
    stage.on('news', (sentence) => sentence.startsWith('Not done') && say(sentence));
    const onTrial = (trial: Trial) => {
      trials.push(trial);
      say(trialLine(trial));
    };
    await stage.begin();
    await playScenarios(stage, chosen, onTrial);
    const left = minutes - (performance.now() - began) / 60_000;
    if (only === undefined && left > 0) await playAtRandom(stage, left, onTrial);
    say('the clients compare what they were told with what is there');
    const acknowledged = await stage.end();
    process.stdout.write(`\n${trialTable(trials)}\n\n`);
    const ran = Math.round((performance.now() - began) / 60_000);
    process.stdout.write(
      `${trials.length} faults in ${ran} minutes, ${acknowledged} animals acknowledged, ${stage.failures.length} times what must not happen.\n`,
    );
    if (log !== undefined)
      await writeLog(log, { minutes: ran, acknowledged, failures: stage.failures, trials });
    return stage.failures.length === 0;
  } finally {
    await shutdown.stop();
  }
}

/** Throws a UserError where there is no such scenario. */
function scenariosOf(random: boolean, only: string | undefined) {
  if (random) return [];
  if (only === undefined) return SCENARIOS;
  return only.split(',').map((id) => {
    const { id: fault } = findFault(id);
    const scenario = SCENARIOS.find((each) => each.fault === fault);
    if (!scenario) throw new UserError(`${fault} is a fault of random runs and no scenario.`);
    return scenario;
  });
}

async function writeLog(file: string, what: object): Promise<void> {
  const machine = {
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    kernel: release(),
    node: process.version,
    date: new Date().toISOString(),
  };
  await writeFile(file, `${JSON.stringify({ machine, ...what }, null, 2)}\n`);
}

/** What clients saw of each fault, a line each, for people. */
function trialTable(trials: readonly Trial[]): string {
  const head = 'fault|on|held|reads away|p99|writes away|p99|longest|whole after';
  return table([
    head.split('|'),
    ...trials.map(({ fault, to, heldMs, wholeAfterMs, reads, writes }) => [
      fault,
      to,
      seconds(heldMs),
      seconds(reads.awayMs),
      `${Math.round(reads.p99)} ms`,
      seconds(writes.awayMs),
      `${Math.round(writes.p99)} ms`,
      seconds(Math.max(reads.longestMs, writes.longestMs)),
      seconds(wholeAfterMs),
    ]),
  ]);
}

/** One of them, while the others go on. */
function trialLine({ title, to, reads, writes, wholeAfterMs }: Trial): string {
  return `${title} (${to}): reads away ${seconds(reads.awayMs)}, writes away ${seconds(writes.awayMs)}, whole ${seconds(wholeAfterMs)} after`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** How long the cause of a fault lasts. */
const HOLD_MS = { least: 2_000, most: 30_000 };

/** Quiet between two faults. */
const PAUSE_MS = { least: 1_000, most: 6_000 };

/** Plays faults at random until the time is over. Each kind comes once before any comes again. */
async function playAtRandom(
  stage: Stage,
  minutes: number,
  onTrial: (trial: Trial) => void,
): Promise<void> {
  const end = performance.now() + minutes * 60_000;
  let left: Fault[] = [];
  while (performance.now() < end) {
    if (left.length === 0) left = shuffled(FAULTS);
    const fault = left.pop() as Fault;
    const trial = await stage.play(fault, between(HOLD_MS)).catch((error: Error) => {
      // Such as a switchover that Patroni refuses for now.
      stage.emit('news', `Not done: ${fault.title}: ${error.message}`);
      return undefined;
    });
    if (trial) onTrial(trial);
    await sleep(between(PAUSE_MS));
  }
}

function between({ least, most }: { least: number; most: number }): number {
  return least + Math.random() * (most - least);
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** A fault with what clients may see of it. */
interface Scenario {
  readonly fault: string;
  /** How long its cause lasts, in milliseconds; brief ones have none. */
  readonly holdMs?: number;
  /** The longest time without a read or a write that succeeded, in milliseconds. */
  readonly limits: { readonly reads: number; readonly writes: number };
}

/** Patroni's ttl, its next look, the promotion, and the balancer's next two checks. */
const FAILOVER_MS = 35_000;

/** The rows of the cluster's table, in docs/operations.md. */
export const SCENARIOS: readonly Scenario[] = [
  row('kill-primary', { reads: FAILOVER_MS, writes: FAILOVER_MS }, 10_000),
  row('switchover', { reads: 15_000, writes: 15_000 }),
  row('freeze-primary', { reads: FAILOVER_MS, writes: FAILOVER_MS }, 30_000),
  row('cut-primary', { reads: FAILOVER_MS, writes: FAILOVER_MS }, 30_000),
  row('restart-balancers', { reads: 10_000, writes: 10_000 }),
  row('standbys-away', { reads: 1_000, writes: 60_000 }, 32_000),
  row('restart-pooler', { reads: 3_000, writes: 3_000 }),
  row('wrong-server', { reads: 6_000, writes: 6_000 }, 20_000),
  row('kill-api', { reads: 3_000, writes: 3_000 }),
  row('restart-apis', { reads: 1_000, writes: 1_000 }),
];

function row(fault: string, limits: Scenario['limits'], holdMs?: number): Scenario {
  return { fault, ...(holdMs && { holdMs }), limits };
}

/** Plays scenarios one after the other, and gives what came of each. Limits that were broken are failures. */
async function playScenarios(
  stage: Stage,
  scenarios: readonly Scenario[],
  onTrial: (trial: Trial) => void,
): Promise<void> {
  for (const { fault, holdMs = 0, limits } of scenarios) {
    const trial = await stage.play(findFault(fault), holdMs);
    onTrial(trial);
    for (const kind of ['reads', 'writes'] as const) {
      const { awayMs } = trial[kind];
      const sentence = `${fault}: ${kind} were away for ${awayMs} ms; at most ${limits[kind]} are allowed.`;
      stage.expect(awayMs <= limits[kind], sentence);
    }
  }
}
