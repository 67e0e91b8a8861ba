import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  createPeerFile,
  createPetstoreFile,
  petstoreCommand,
  SEEDED,
  seedPets,
  writeConstants,
  writeJsonFile,
} from './data.ts';
import { BenchError } from './failure.ts';
import { BENCH, ROOT } from './paths.ts';
import type { Command } from './processes.ts';

export const LOADS = ['list', 'list-uncached', 'get', 'create', 'mix'] as const;
export type Load = (typeof LOADS)[number];

export const BARE = 'bare';

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
  /** Loads it takes part in. */
  readonly loads: readonly Load[];
  /** The path of a list of twenty. */
  readonly list: string;
  /** How many pets that list has. */
  readonly pageSize: number;
  /** What its paths begin with, before `/pets`. */
  readonly prefix: string;
  readonly command: (port: number, files: Files, key: string) => Command;
  /** Its own file, of a round. */
  readonly data: (files: Files) => string;
}

/** The files of a round. */
export interface Files {
  readonly folder: string;
  readonly constants: string;
}

// A list without a cache is the same load as a list for all who have none.
const ALL: readonly Load[] = ['list', 'get', 'create', 'mix'];

const peer = {
  stores: 'sqlite',
  key: 'compared',
  refusesWith: 400,
  commitsEach: true,
  loads: ALL,
  list: '/v1/pets?limit=20',
  pageSize: 20,
  prefix: '/v1',
} as const;

const constant = { ...peer, stores: 'nothing', key: 'ignored', refusesWith: undefined } as const;

function program(
  file: string,
  data: (files: Files) => string,
): Pick<Contender, 'command' | 'data'> {
  return {
    data,
    command: (port, files, key) => ({
      args: [`${BENCH}${file}`],
      env: { BENCH_PORT: String(port), BENCH_KEY: key, BENCH_DATA: data(files) },
    }),
  };
}

function service(
  name: string,
  env: Record<string, string> = {},
): Pick<Contender, 'command' | 'data'> {
  const data = ({ folder }: Files) => `${folder}/${name}.db`;
  return {
    data,
    command: (port, files) => petstoreCommand(data(files), env)(port),
  };
}

const constants = ({ constants }: Files) => constants;

/** In the order in which they take turns. The bare server, which all are compared to, comes first. */
export const CONTENDERS: readonly Contender[] = [
  {
    ...constant,
    name: BARE,
    label: 'node:http, constant',
    commitsEach: false,
    ...program('contenders/bare-node.ts', constants),
  },
  {
    ...constant,
    name: 'fastify',
    label: 'Fastify, constant',
    commitsEach: false,
    ...program('contenders/bare-fastify.ts', constants),
  },
  {
    ...peer,
    name: 'petstore',
    label: 'Petstore (this service)',
    commitsEach: false,
    ...service('petstore'),
  },
  {
    ...peer,
    name: 'petstore-uncached',
    label: 'Petstore, page cache off',
    commitsEach: false,
    loads: ['list-uncached'],
    ...service('petstore-uncached', { PETSTORE_PAGE_CACHE_BYTES: '0' }),
  },
  {
    ...peer,
    name: 'petstore-unlimited',
    label: 'Petstore, no rate limit',
    commitsEach: false,
    loads: ['list'],
    ...service('petstore-unlimited', { PETSTORE_RATE_LIMIT: '0' }),
  },
  {
    ...peer,
    name: 'express',
    label: 'Express 5 + better-sqlite3',
    ...program('contenders/express.ts', ({ folder }) => `${folder}/express.db`),
  },
  {
    ...peer,
    name: 'nestjs',
    label: 'NestJS (Fastify) + node:sqlite',
    ...program('build/nestjs/main.js', ({ folder }) => `${folder}/nestjs.db`),
  },
  {
    ...peer,
    name: 'hono',
    label: 'Hono + node:sqlite',
    ...program('contenders/hono.ts', ({ folder }) => `${folder}/hono.db`),
  },
  {
    ...peer,
    name: 'json-server',
    label: 'json-server',
    stores: 'json',
    commitsEach: false,
    list: '/v1/pets?_limit=20',
    ...program('contenders/json-server.ts', ({ folder }) => `${folder}/json-server.json`),
  },
  {
    ...constant,
    name: 'prism',
    label: 'Prism mock',
    key: 'present',
    // It takes a 422 of the document for that of a body, where it is of an Idempotency-Key.
    refusesWith: 422,
    commitsEach: false,
    // The example of the document, which has two pets.
    pageSize: 2,
    // It leaves out what the server addresses of the document end in.
    list: '/pets?limit=20',
    prefix: '',
    data: constants,
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
];

/** Throws BenchError when a contender cannot run here. Compiles the one that needs it. */
export function prepareContenders(): void {
  if (!existsSync(`${BENCH}node_modules`)) {
    console.log('Installing the contenders, this once.');
    try {
      execFileSync('npm', ['ci', '--prefix', BENCH], { stdio: 'inherit' });
    } catch (cause) {
      throw new BenchError('The contenders cannot be installed: npm says why above.', { cause });
    }
  }
  execFileSync(`${BENCH}node_modules/.bin/tsc`, ['-p', `${BENCH}contenders/nestjs`], {
    stdio: 'inherit',
  });
}

/** What all rounds start from. */
export interface Seeds {
  readonly key: string;
  readonly petstore: string;
  readonly peer: string;
  readonly json: string;
  readonly constants: string;
}

export function makeSeeds(folder: string): Seeds {
  const seeds = {
    petstore: `${folder}/seed-petstore.db`,
    peer: `${folder}/seed-peer.db`,
    json: `${folder}/seed.json`,
    constants: `${folder}/constants.json`,
  };
  const key = createPetstoreFile(seeds.petstore);
  createPeerFile(seeds.peer);
  for (const path of [seeds.petstore, seeds.peer]) {
    seedPets(path, SEEDED);
    checkpoint(path);
  }
  writeConstants(seeds.constants, seeds.peer);
  writeJsonFile(seeds.json, seeds.peer);
  return { key, ...seeds };
}

/** Gives a contender its own copy of the seed. */
export function copySeed({ stores, name, data }: Contender, seeds: Seeds, files: Files): void {
  if (stores === 'json') copyFileSync(seeds.json, data(files));
  if (stores === 'sqlite') {
    copyFileSync(name.startsWith('petstore') ? seeds.petstore : seeds.peer, data(files));
  }
}

/** Moves what is in the log into the file, so that the file can be copied alone. */
function checkpoint(path: string): void {
  using db = new DatabaseSync(path);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}
