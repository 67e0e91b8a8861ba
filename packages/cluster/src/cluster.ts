import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { UserError } from '@petstore/service/user-error.ts';
import { Machine, type Service } from './machines/machine.ts';
import { Network } from './machines/network.ts';
import {
  apiServices,
  balancerServices,
  clockOf,
  databaseServices,
  type MachineFacts,
  PETSTORE,
  type Route,
} from './machines/services.ts';
import { checkSoftware, clockLibrary, databaseUser } from './machines/software.ts';

const run = promisify(execFile);

const DATABASES = { db1: '10.0.0.11', db2: '10.0.0.12', db3: '10.0.0.13' };
const APIS = { api1: '10.0.0.21', api2: '10.0.0.22', api3: '10.0.0.23' };
const BALANCERS = { lb1: '10.0.0.31', lb2: '10.0.0.32' };
const CLIENT = { name: 'client', address: '10.0.0.99' };

/** Each API process reaches the database in another one of the three ways that deploy/cluster shows. */
const ROUTES: Record<keyof typeof APIS, Route> = {
  api1: 'balancer',
  api2: 'hosts',
  api3: 'pooler',
};

/** The disk of a database machine. The cluster itself uses some of it. */
const DISK_MB = 2_048;

/** The address that the balancers share: of the database, and of the API. */
export const SHARED_ADDRESS = '10.0.0.30';

/** Where clients reach the API. */
export const API_URL = `http://${SHARED_ADDRESS}/v1`;

/**
 * Connections of all API processes to the primary: PETSTORE_DATABASE_POOL_SIZE of each, one that listens, and for a moment
 * one of each of the two addresses of replicas, to see whether it is a standby now.
 */
export const MOST_CONNECTIONS = Object.keys(APIS).length * (10 + 1 + 2);

const START_LIMIT_MS = 120_000;

/** The cluster of deploy/cluster, on this machine. */
export interface Cluster {
  readonly databases: readonly Machine[];
  readonly apis: readonly Machine[];
  readonly balancers: readonly Machine[];
  /** The machine that clients run on. */
  readonly client: Machine;
  /** A key with every right. */
  readonly apiKey: string;
  /** The command that runs another command on that machine. */
  readonly enter: string;
  /** The folder of its logs and data. It is deleted with the cluster. */
  readonly folder: string;
  /** How many connections of the API the primary has now. Rejects where no primary answers. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Starts all machines, and waits until the API takes writes. Rejects with a UserError where programs are missing, and
 * where the cluster is not up within two minutes. `say` is called with what is being waited for.
 */
export async function startCluster(say: (what: string) => void): Promise<Cluster> {
  await checkSoftware();
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  await chmod(folder, 0o755);
  const teardown = new Teardown();
  teardown.add('folder', folder);
  try {
    return await build(folder, teardown, say);
  } catch (error) {
    await teardown.finish();
    throw error;
  }
}

async function build(
  folder: string,
  teardown: Teardown,
  say: (what: string) => void,
): Promise<Cluster> {
  const network = new Network();
  teardown.add('namespace', `${network.id}-switch`);
  await network.create();
  const user = await databaseUser();
  const library = await clockLibrary();
  const secrets = {
    SUPERUSER_PASSWORD: secret(),
    REPLICATION_PASSWORD: secret(),
    REWIND_PASSWORD: secret(),
    DATABASE_PASSWORD: secret(),
    DASHBOARD_DATABASE_PASSWORD: secret(),
    DASHBOARD_SECRET_KEY: secret(),
  };
  const factsOf = (MACHINE: string, ADDRESS: string, PEER = ''): MachineFacts => ({
    MACHINE,
    ADDRESS,
    PEER,
    ...secrets,
  });

  async function machine(
    name: string,
    address: string,
    services: (folder: string) => Promise<readonly Service[]>,
  ): Promise<Machine> {
    const own = join(folder, name);
    await mkdir(own);
    teardown.add('namespace', `${network.id}-${name}`);
    const namespace = await network.connect(name, address);
    const made = new Machine(
      { name, address, folder: own, namespace, network },
      await services(own),
    );
    await made.stepClock(0);
    return made;
  }

  const databases = await inTurn(DATABASES, (name, address) =>
    machine(name, address, async (own) => {
      const disk = join(own, 'disk');
      await mkdir(disk);
      teardown.add('mount', disk);
      // A file system of its own, so that it can be full.
      await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'cluster', disk]);
      return databaseServices(factsOf(name, address), disk, user);
    }),
  );
  const balancers = await inTurn(BALANCERS, (name, address) => {
    const peer = Object.values(BALANCERS).find((other) => other !== address);
    return machine(name, address, (own) => balancerServices(factsOf(name, address, peer), own));
  });
  const apis = await inTurn(APIS, (name, address) =>
    machine(name, address, (own) =>
      apiServices(
        factsOf(name, address),
        own,
        ROUTES[name as keyof typeof APIS],
        user,
        clockOf(own, library),
      ),
    ),
  );
  const client = await machine(CLIENT.name, CLIENT.address, async () => []);

  say('etcd, Patroni and PostgreSQL start on three machines');
  for (const each of databases) each.boot();
  for (const each of balancers) each.boot();
  const psql = superuser(client, secrets.SUPERUSER_PASSWORD);
  await createDatabase(psql, secrets.DATABASE_PASSWORD);
  say('three petstore processes start');
  for (const each of apis) each.boot();
  const apiKey = await createKey(apis);
  await until('the API takes no writes', () =>
    client.run('curl', ['-fsS', '-o', '/dev/null', 'http://10.0.0.21:8080/readyz']),
  );
  const all = [...databases, ...balancers, ...apis, client];
  return {
    ...{ databases, apis, balancers, client, apiKey, folder },
    enter: client.entrance.join(' '),
    connections: async () =>
      Number(await psql("select count(*) from pg_stat_activity where usename = 'petstore'")),
    async close() {
      await Promise.all(all.map((each) => each.close()));
      await teardown.finish();
    },
  };
}

/** What runs SQL as an administrator, by way of the balancers, and gives what it printed. */
function superuser(client: Machine, password: string): (sql: string) => Promise<string> {
  const at = ['-h', SHARED_ADDRESS, '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '-q', '-A', '-t'];
  const env = { PGPASSWORD: password, PGCONNECT_TIMEOUT: '3' };
  return (sql) => client.run('psql', [...at, '-c', sql], env);
}

/** The role and the database of the API, as README.md of deploy/cluster has them made by hand. */
async function createDatabase(
  psql: (sql: string) => Promise<string>,
  password: string,
): Promise<void> {
  await until('PostgreSQL takes no connection', () => psql('select 1'));
  await psql(`create role petstore login password '${password}'`);
  await psql('create database petstore owner petstore');
}

async function createKey([first]: readonly Machine[]): Promise<string> {
  if (!first) throw new Error('There is no API machine.');
  const create = [PETSTORE, 'keys', 'create', '--name', 'checker', '--scope', 'admin', '--json'];
  const made = await first.run(process.execPath, create, first.environmentOf('petstore'));
  return (JSON.parse(made) as { key: string }).key;
}

/** Tries again until it succeeds. */
async function until(what: string, attempt: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (performance.now() > deadline) {
        throw new UserError(`The cluster did not start: ${what} (${(error as Error).message}).`);
      }
      await sleep(500);
    }
  }
}

async function inTurn<T>(
  machines: Readonly<Record<string, string>>,
  make: (name: string, address: string) => Promise<T>,
): Promise<T[]> {
  const made: T[] = [];
  for (const [name, address] of Object.entries(machines)) made.push(await make(name, address));
  return made;
}

function secret(): string {
  return randomBytes(12).toString('hex');
}

/**
 * Reads lines `namespace NAME`, `mount FOLDER` and `folder FOLDER` from standard input. When that ends, it removes them
 * in reverse order. Standard input ends with the process at its other end, even if that was killed.
 */
const SCRIPT = `
trap '' INT TERM HUP
lines=
while IFS= read -r line; do lines="$line
$lines"; done
printf '%s' "$lines" | while read -r kind name; do
  case $kind in
    namespace) for round in 1 2 3; do for pid in $(ip netns pids "$name"); do kill -KILL "$pid"; done; done ;;
  esac
done 2>/dev/null
sleep 0.3
printf '%s' "$lines" | while read -r kind name; do
  case $kind in
    namespace) ip netns delete "$name" ;;
    mount) umount -l "$name" ;;
    folder) rm -rf "$name" ;;
  esac
done 2>/dev/null
`;

/** Removes everything that a cluster has created, even when the cluster itself was killed. */
class Teardown {
  readonly #child = spawn('sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });

  /** Reports something that is about to be created. */
  add(kind: 'namespace' | 'mount' | 'folder', name: string): void {
    (this.#child.stdin as Writable).write(`${kind} ${name}\n`);
  }

  /** Removes everything, and waits for that. */
  async finish(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await ended;
  }
}
