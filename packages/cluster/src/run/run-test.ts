import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, release } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopOnSignals } from '@petstore/service/shutdown.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { startCluster } from '../cluster.ts';
import type { Fault } from '../faults/fault.ts';
import { FAULTS, findFault } from '../faults/faults.ts';
import { commit } from './commit.ts';
import { Stage } from './stage.ts';
import type { Trial } from './trial.ts';
import { seconds, trialTable } from './trial-table.ts';

export interface Options {
  readonly minutes: number;
  readonly random?: boolean;
  readonly only?: string;
  /** How often each scenario is played. */
  readonly times: number;
  /** In seconds. */
  readonly hold?: number;
  readonly log?: string;
}

/** Plays faults on a cluster of its own. Whether there was no violation. */
export async function runTest(options: Options): Promise<boolean> {
  const { minutes, random = false, only, times, hold, log } = options;
  const named = only?.split(',').map(findFault);
  const chosen = random ? [] : Array.from({ length: times }, () => scenariosOf(named)).flat();
  const atRandom = random ? (named ?? FAULTS) : named ? [] : FAULTS;
  const shutdown = stopOnSignals();
  const began = performance.now();
  const say = (what: string) => {
    const seconds = Math.round((performance.now() - began) / 1_000);
    process.stdout.write(`${`${seconds}`.padStart(5)} s  ${what}\n`);
  };
  const trials: Trial[] = [];
  const notDone: NotDone[] = [];
  try {
    const cluster = await startCluster(say);
    await shutdown.add(() => cluster.close());
    const stage = new Stage(cluster);
    stage.on('failure', (sentence) => say(`MUST NOT HAPPEN: ${sentence}`));
    const onTrial = (trial: Trial) => {
      trials.push(trial);
      say(trialLine(trial));
    };
    await stage.begin();
    await playScenarios(stage, chosen, hold === undefined ? undefined : hold * 1_000, onTrial);
    const scenarios = trials.length;
    const left = minutes - (performance.now() - began) / 60_000;
    if (atRandom.length > 0 && left > 0)
      await playAtRandom(stage, atRandom, left, onTrial, (each) => {
        notDone.push(each);
        say(`Not done: ${each.fault}: ${each.why}`);
      });
    say('the clients compare what they were told with what is there');
    const acknowledged = await stage.end();
    for (const some of [trials.slice(0, scenarios), trials.slice(scenarios)])
      if (some.length > 0) process.stdout.write(`\n${trialTable(some)}\n`);
    process.stdout.write(`\nCommit ${commit()}.\n\n`);
    const ran = Math.round((performance.now() - began) / 60_000);
    process.stdout.write(
      `${trials.length} faults in ${ran} minutes, ${acknowledged} animals acknowledged, ${stage.failures.length} times what must not happen.\n`,
    );
    if (log !== undefined)
      await writeLog(log, {
        minutes: ran,
        acknowledged,
        failures: stage.failures,
        notDone,
        trials,
      });
    return stage.failures.length === 0;
  } finally {
    await shutdown.stop();
  }
}

/** The scenarios of faults, or all. Throws a UserError for a fault without one. */
function scenariosOf(faults: readonly Fault[] | undefined): readonly Scenario[] {
  if (!faults) return SCENARIOS;
  return faults.map(({ id }) => {
    const scenario = SCENARIOS.find(({ fault }) => fault === id);
    if (!scenario)
      throw new UserError(`${id} is not a scenario: it happens at random only. Add --random.`);
    return scenario;
  });
}

async function writeLog(file: string, what: object): Promise<void> {
  const machine = {
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    kernel: release(),
    node: process.version,
    commit: commit(),
    date: new Date().toISOString(),
  };
  await writeFile(file, `${JSON.stringify({ machine, ...what }, null, 2)}\n`);
}

function trialLine({
  title,
  to,
  reads,
  writes,
  wholeAfterMs,
  steady,
  reached = [],
}: Trial): string {
  const alone = reached.map(
    ({ after: { name, reads, writes } }) =>
      `; ${name} by itself reads after ${seconds(reads.awayMs)}, writes after ${seconds(writes.awayMs)}`,
  );
  const meanwhile = steady
    ? `; meanwhile p99 of reads ${steady.reads.p99} ms (${steady.before.p99} before), ${steady.connections} connections`
    : '';
  return `${title} (${to}): reads away ${seconds(reads.awayMs)}, writes away ${seconds(writes.awayMs)}, whole ${seconds(wholeAfterMs)} after${meanwhile}${alone.join('')}`;
}

/** How long the cause of a fault lasts. */
const HOLD_MS = { least: 2_000, most: 30_000 };

/** Quiet between two faults. */
const PAUSE_MS = { least: 1_000, most: 6_000 };

/** A fault that the state of the cluster did not allow, such as a switchover that Patroni refuses for now. */
interface NotDone {
  readonly fault: string;
  /** When, in RFC 3339. */
  readonly at: string;
  readonly why: string;
}

/** Plays faults at random until the time is over. Each kind comes once before any is repeated. */
async function playAtRandom(
  stage: Stage,
  faults: readonly Fault[],
  minutes: number,
  onTrial: (trial: Trial) => void,
  onNotDone: (notDone: NotDone) => void,
): Promise<void> {
  const end = performance.now() + minutes * 60_000;
  let left: Fault[] = [];
  while (performance.now() < end) {
    if (left.length === 0) left = shuffled(faults);
    const fault = left.pop() as Fault;
    const trial = await stage.play(fault, between(HOLD_MS)).catch((error: Error) => {
      onNotDone({ fault: fault.id, at: new Date().toISOString(), why: error.message });
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

/** A fault, and how long its cause lasts, in milliseconds; brief ones have none. */
interface Scenario {
  readonly fault: string;
  readonly holdMs?: number;
}

/** The rows of the table in deploy/cluster/README.md. */
export const SCENARIOS: readonly Scenario[] = [
  { fault: 'kill-primary', holdMs: 10_000 },
  { fault: 'switchover' },
  { fault: 'freeze-primary', holdMs: 30_000 },
  { fault: 'cut-primary', holdMs: 30_000 },
  { fault: 'restart-balancers' },
  { fault: 'standbys-away', holdMs: 32_000 },
  { fault: 'restart-pooler' },
  { fault: 'wrong-server', holdMs: 20_000 },
  { fault: 'kill-api' },
  { fault: 'restart-apis' },
];

/** Plays scenarios one after the other, and returns the outcome of each. `holdMs` replaces their own durations. */
async function playScenarios(
  stage: Stage,
  scenarios: readonly Scenario[],
  holdMs: number | undefined,
  onTrial: (trial: Trial) => void,
): Promise<void> {
  for (const scenario of scenarios) {
    onTrial(await stage.play(findFault(scenario.fault), holdMs ?? scenario.holdMs ?? 0));
  }
}
