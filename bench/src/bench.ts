import { compare } from './comparison.ts';
import { BARE, CONTENDERS, LOADS, type Load } from './contenders.ts';
import { emptyFolder } from './data.ts';
import { describeMachine, pinCores } from './machine.ts';
import { publish, show } from './report.ts';
import { main, readOptions, subset } from './run.ts';

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

await main(async () => {
  const counts = { rounds: 5, seconds: 2 };
  const given = readOptions(HELP, counts, ['only', 'loads', 'data']);
  const { rounds, seconds, only, data } = given;
  const all = CONTENDERS.map(({ name }) => name);
  const names = subset('--only', only, all);
  const contenders = CONTENDERS.filter(({ name }) => name === BARE || names.includes(name));
  const loads = subset('--loads', given.loads, LOADS);
  const pinned = pinCores();
  const machine = describeMachine();
  console.log(`${machine.cpu}, ${machine.cores} cores; Node ${machine.node}; ${machine.wrk}`);
  console.log(pinned);

  const folder = emptyFolder('comparison', data);
  const connections = (load: Load) => CONNECTIONS[load];
  const options = { rounds, seconds, contenders, loads, connections };
  const comparison = await compare(options, { machine, folder });
  if (contenders.length === CONTENDERS.length && loads.length === LOADS.length) {
    publish('latest', comparison);
  } else {
    show('latest', comparison);
    console.log('\nA part of the comparison; the results were left as they are.');
  }
});
