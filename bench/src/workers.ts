import { compare } from './comparison.ts';
import { ON_ALL_CORES } from './contenders.ts';
import { measurement } from './run.ts';

const HELP = `npm run bench:workers -- [options]

Measures the service as one process and as several (--workers), and servers in Go and Rust, where client and server
share all cores. Writes bench/results/workers.json and the table of docs/performance.md.

  --rounds N     rounds; each starts all servers anew (default 5)
  --seconds N    length of each load in each round (default 2)
  --data DIR     folder for the databases, on a disk (default bench/data)
  --help         show this
`;

const CONNECTIONS = 64;

const DEFAULTS = { rounds: 5, seconds: 2 };

await measurement(
  'workers',
  HELP,
  DEFAULTS,
  ({ rounds, seconds }, run) => {
    const loads = ['list', 'get', 'create'] as const;
    const connections = () => [CONNECTIONS];
    return compare({ rounds, seconds, contenders: ON_ALL_CORES, loads, connections }, run);
  },
  'all',
);
