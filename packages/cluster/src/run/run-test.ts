import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, release } from 'node:os';
import { stopOnSignals } from '@petstore/lab/shutdown.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { startCluster } from '../cluster.ts';
import { findFault } from '../faults/faults.ts';
import { commit } from './commit.ts';
import { type NotDone, playAtRandom } from './random.ts';
import { trialLine, trialTable } from './report.ts';
import { playScenarios, SCENARIOS } from './scenarios.ts';
import { Stage } from './stage.ts';
import type { Trial } from './trial.ts';

export interface Options {
  readonly minutes: number;
  readonly random?: boolean;
  readonly only?: string;
  /** In seconds. */
  readonly hold?: number;
  readonly log?: string;
}

/** Plays faults on a cluster of its own. Whether there was no violation. */
export async function runTest(options: Options): Promise<boolean> {
  const { minutes, random = false, only, hold, log } = options;
  const chosen = scenariosOf(random, only);
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
    if (only === undefined && left > 0)
      await playAtRandom(stage, left, onTrial, (each) => {
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

/** Throws a UserError where there is no such scenario. */
function scenariosOf(random: boolean, only: string | undefined) {
  if (random) return [];
  if (only === undefined) return SCENARIOS;
  return only.split(',').map((id) => {
    const { id: fault } = findFault(id);
    const scenario = SCENARIOS.find((each) => each.fault === fault);
    if (!scenario)
      throw new UserError(`${fault} happens in random runs only: it is not a scenario.`);
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
