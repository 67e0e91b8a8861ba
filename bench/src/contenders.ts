import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { petstoreCommand, SEEDED, seedPeer, seedPetstore } from './data.ts';
import { BenchError } from './failure.ts';
import { BENCH, ROOT } from './paths.ts';
import type { Command } from './processes.ts';

export const LOADS = ['list', 'list-uncached', 'get', 'create', 'mix'] as const;
export type Load = (typeof LOADS)[number];

export const BARE = 'bare';

/** Where what has to be compiled is put. */
const BUILD = `${BENCH}build/`;

export interface Contender {
  readonly name: string;
  readonly label: string;
  /** What kind of file it keeps: a SQLite one as the service has it, a file of its own, or none. */
  readonly stores: 'sqlite' | 'json' | 'nothing';
  /** How it looks at a key: compares it, asks only that there be one, or not at all. */
  readonly key: 'compared' | 'present' | 'ignored';
  /** The status for a body that is wrong; undefined where bodies are not looked at. */
  readonly refusesWith: number | undefined;
  /** Commits each create by itself, durably: what group commit is compared to. */
  readonly commitsEach: boolean;
  /** What it runs on: Node, or the machine itself. */
  readonly runsOn: 'node' | 'machine';
  /** What compiles it, where something has to. */
  readonly build?: Command;
  /** Loads it takes part in. */
  readonly loads: readonly Load[];
  /** The path of a list of twenty. */
  readonly list: string;
  /** How many pets that list has. */
  readonly pageSize: number;
  /** What its paths begin with, before `/pets`. */
  readonly prefix: string;
  /** `data`: its own file, of a round. */
  readonly command: (port: number, data: string, key: string) => Command;
}

// A list without a cache is the same load as a list for all who have none.
const ALL: readonly Load[] = ['list', 'get', 'create', 'mix'];

const peer = {
  stores: 'sqlite',
  key: 'compared',
  refusesWith: 400,
  commitsEach: true,
  runsOn: 'node',
  loads: ALL,
  list: '/v1/pets?limit=20',
  pageSize: 20,
  prefix: '/v1',
} as const;

const own = { ...peer, commitsEach: false } as const;

const constant = { ...own, stores: 'nothing', key: 'ignored', refusesWith: undefined } as const;

function program(file: string): Contender['command'] {
  return (port, data, key) => ({
    args: [`${BENCH}${file}`],
    env: settings(port, data, key),
  });
}

function service(
  settings?: Record<string, string>,
  options?: readonly string[],
): Contender['command'] {
  return (port, data) => petstoreCommand(data, settings, options)(port);
}

const compiled = { ...peer, runsOn: 'machine' } as const;

/** A compiled program. */
function binary(file: string): Contender['command'] {
  return (port, data, key) => ({ program: file, args: [], env: settings(port, data, key) });
}

/** What contenders/settings.ts reads. */
function settings(port: number, data: string, key: string): Command['env'] {
  return { BENCH_PORT: String(port), BENCH_KEY: key, BENCH_DATA: data };
}

const SERVICE: Contender = {
  ...own,
  name: 'petstore',
  label: 'Petstore (this service)',
  command: service(),
};

/** Contenders that do not run on Node. */
const COMPILED: readonly Contender[] = [
  {
    ...compiled,
    name: 'go',
    label: 'Go, net/http + go-sqlite3',
    build: {
      program: 'go',
      args: ['build', '-C', `${BENCH}contenders/go`, '-o', `${BUILD}go`, '.'],
      env: {},
    },
    command: binary(`${BUILD}go`),
  },
  {
    ...compiled,
    name: 'rust',
    label: 'Rust, axum + rusqlite',
    build: {
      program: 'cargo',
      args: [
        ...['build', '--quiet', '--release'],
        ...['--manifest-path', `${BENCH}contenders/rust/Cargo.toml`],
        ...['--target-dir', `${BUILD}rust`],
      ],
      env: {},
    },
    command: binary(`${BUILD}rust/release/bench`),
  },
];

/** In the order in which they take turns. The bare server, which all are compared to, comes first. */
export const CONTENDERS: readonly Contender[] = [
  {
    ...constant,
    name: BARE,
    label: 'node:http, constant',
    command: program('contenders/bare-node.ts'),
  },
  {
    ...constant,
    name: 'fastify',
    label: 'Fastify, constant',
    command: program('contenders/bare-fastify.ts'),
  },
  SERVICE,
  {
    ...own,
    name: 'petstore-uncached',
    label: 'Petstore, page cache off',
    loads: ['list-uncached'],
    command: service({ PETSTORE_PAGE_CACHE_BYTES: '0' }),
  },
  {
    ...own,
    name: 'petstore-unlimited',
    label: 'Petstore, no rate limit',
    loads: ['list'],
    command: service({ PETSTORE_RATE_LIMIT: '0' }),
  },
  {
    ...peer,
    name: 'express',
    label: 'Express 5 + better-sqlite3',
    command: program('contenders/express.ts'),
  },
  {
    ...peer,
    name: 'nestjs',
    label: 'NestJS (Fastify) + node:sqlite',
    build: {
      program: `${BENCH}node_modules/.bin/tsc`,
      args: ['-p', `${BENCH}contenders/nestjs`],
      env: {},
    },
    command: program('build/nestjs/main.js'),
  },
  { ...peer, name: 'hono', label: 'Hono + node:sqlite', command: program('contenders/hono.ts') },
  {
    ...peer,
    name: 'json-server',
    label: 'json-server',
    stores: 'json',
    commitsEach: false,
    list: '/v1/pets?_limit=20',
    command: program('contenders/json-server.ts'),
  },
  {
    ...constant,
    name: 'prism',
    label: 'Prism mock',
    key: 'present',
    // It takes a 422 of the document for that of a body, where it is of an Idempotency-Key.
    refusesWith: 422,
    // The example of the document, which has two pets.
    pageSize: 2,
    // It leaves out what the server addresses of the document end in.
    list: '/pets?limit=20',
    prefix: '',
    command: (port) => ({
      args: [
        `${BENCH}node_modules/@stoplight/prism-cli/dist/index.js`,
        'mock',
        ...['--host', '127.0.0.1', '--port', String(port), '--verboseLevel', 'silent'],
        // In production it would start a second process for its log, and fails at that on Node 24.
        '--no-multiprocess',
        `${ROOT}docs/openapi.json`,
      ],
      env: {},
    }),
  },
  ...COMPILED,
];

function withWorkers(workers: number): Contender {
  return {
    ...SERVICE,
    name: `petstore-workers-${workers}`,
    label: `Petstore, --workers ${workers}`,
    command: service({}, ['--workers', String(workers)]),
  };
}

/** What is measured on all cores: the service as one process, which the others are compared to, as several, and others. */
export const ON_ALL_CORES: readonly Contender[] = [
  { ...SERVICE, label: 'Petstore, one process' },
  withWorkers(2),
  withWorkers(4),
  ...COMPILED,
];

/**
 * Installs and compiles what the contenders need. Gives those that can run here, and a line for each that cannot,
 * since its compiler is not installed. Throws BenchError where something fails that is there.
 */
export function prepareContenders(wanted: readonly Contender[]): {
  readonly contenders: readonly Contender[];
  readonly leftOut: readonly string[];
} {
  if (!existsSync(`${BENCH}node_modules`)) {
    console.log('Installing the contenders, this once.');
    if (!call({ program: 'npm', args: ['ci', '--prefix', BENCH], env: {} })) {
      throw new BenchError('The contenders cannot be installed: this machine has no npm.');
    }
  }
  const contenders = wanted.filter(({ build }) => !build || call(build));
  const leftOut = wanted
    .filter((contender) => !contenders.includes(contender))
    .map(({ label, build }) => `${label} is left out: this machine has no ${build?.program}`);
  for (const line of leftOut) console.log(`${line}.`);
  return { contenders, leftOut };
}

/** Runs a command to its end; false where its program is not installed. Throws BenchError where it fails. */
function call({ program = process.execPath, args, env }: Command): boolean {
  const ended = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if ((ended.error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return false;
  if (ended.status === 0) return true;
  throw new BenchError(`${program} ${args.join(' ')} failed: it says why above.`);
}

/** What all rounds start from. */
export interface Seeds {
  readonly key: string;
  /** The files of the service and of its peers, by what they store. */
  readonly petstore: string;
  readonly sqlite: string;
  readonly json: string;
  /** What the contenders without a store send: a page and an animal of the service's size. */
  readonly constants: string;
}

export function makeSeeds(folder: string): Seeds {
  const seeds = {
    petstore: `${folder}/seed-petstore.db`,
    sqlite: `${folder}/seed-peer.db`,
    json: `${folder}/seed.json`,
    constants: `${folder}/constants.json`,
  };
  const { key } = seedPetstore(seeds.petstore, SEEDED);
  const pets = seedPeer(seeds.sqlite, SEEDED);
  const page = pets.slice(0, constant.pageSize);
  const texts = { page: JSON.stringify(page), pet: JSON.stringify(page[0]) };
  writeFileSync(seeds.constants, JSON.stringify(texts));
  // As json-server keeps them.
  writeFileSync(seeds.json, JSON.stringify({ pets }, null, 2));
  return { key, ...seeds };
}

/** Gives a contender its own copy of the seed in a folder, and gives the path of its file. */
export function copySeed({ stores, name }: Contender, seeds: Seeds, folder: string): string {
  if (stores === 'nothing') return seeds.constants;
  const seed = isOwn(name) ? seeds.petstore : seeds[stores];
  const copy = `${folder}/${name}${extname(seed)}`;
  copyFileSync(seed, copy);
  return copy;
}

/** Whether a contender is this service. */
export function isOwn(name: string): boolean {
  return name.startsWith('petstore');
}
