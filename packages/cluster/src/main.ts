// `npm run cluster`: deploy/cluster on one machine, with a board; `npm run test:cluster`: faults, and what clients may see of them.

import { runProgram } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { Command, InvalidArgumentError } from 'commander';
import type { Options } from './run/run-test.ts';

const program = new Command('npm run cluster')
  .usage('-- [options]')
  .description(
    'The cluster of deploy/cluster on this machine, each of its machines a network namespace: three with etcd, Patroni and PostgreSQL, three with the API, two balancers. Clients check what they are told. A board shows all of it, and has buttons for what can go wrong. Until Ctrl-C. Needs root.',
  )
  .showHelpAfterError('(npm run cluster -- --help says more)')
  .option('--port <port>', 'of the board', wholeNumber(0, 65_535), 8095)
  .action(async ({ port }: { port: number }) => {
    const { runBoard } = await import('./run/run-board.ts');
    await runBoard(port);
  });

program
  .command('test', { hidden: true })
  .usage('[options]')
  .description(
    'Plays every scenario of deploy/cluster/README.md, then faults at random until the time is over. Exits with code 1 when anything came out that must not.',
  )
  .option(
    '--minutes <minutes>',
    'how long, 0 to 1440; the scenarios are played in any case',
    wholeNumber(0, 1440),
    10,
  )
  .option('--random', 'faults at random only')
  .option(
    '--only <faults>',
    'these scenarios alone, or with --random these faults, separated by commas',
  )
  .option(
    '--times <times>',
    'how often each scenario is played, in rounds, 1 to 100',
    wholeNumber(1, 100),
    1,
  )
  .option(
    '--hold <seconds>',
    'how long the cause of each scenario lasts, 1 to 3600, where it is not brief',
    wholeNumber(1, 3600),
  )
  .option('--log <file>', 'write what came out as JSON')
  .action(async (options: Options) => {
    const { runTest } = await import('./run/run-test.ts');
    if (!(await runTest(options))) throw new UserError('The checker found violations: see above.');
  });

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return value;
  };
}

await runProgram(program, () => undefined);
