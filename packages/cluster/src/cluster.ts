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

/** Each API process finds the database on another of the three ways that deploy/cluster shows. */
const ROUTES: Record<string, Route> = { api2: 'hosts', api3: 'pooler' };
const routeOf = (name: string) => ROUTES[name] ?? 'balancer';

/** A database machine's disk, of which the cluster fills some. */
const DISK_MB = 2_048;

/** Where clients reach the API: the address that the balancers share. */
export const API_URL = 'http://10.0.0.30/v1';

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
  /** What comes before a command that is to run on that machine. */
  readonly enter: string;
  /** Where its logs and data are. They go with it. */
  readonly folder: string;
  close(): Promise<void>;
}

/**
 * Starts all machines, and waits until the API takes writes. Rejects with a UserError where programs are missing, and
 * where it does not come about within two minutes. `say` is told what is being waited for.
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
      // A disk of its own, that can be full.
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
      apiServices(factsOf(name, address), own, routeOf(name), user, clockOf(own, library)),
    ),
  );
  const client = await machine(CLIENT.name, CLIENT.address, async () => []);

  say('etcd, Patroni and PostgreSQL start on three machines');
  for (const each of databases) each.boot();
  for (const each of balancers) each.boot();
  await createDatabase(client, secrets);
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
    async close() {
      await Promise.all(all.map((each) => each.close()));
      await teardown.finish();
    },
  };
}

/** The role and the database of the API, as README.md of deploy/cluster has them made by hand. */
async function createDatabase(
  client: Machine,
  secrets: Pick<MachineFacts, 'SUPERUSER_PASSWORD' | 'DATABASE_PASSWORD'>,
): Promise<void> {
  const at = ['-h', '10.0.0.30', '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '-q'];
  const env = { PGPASSWORD: secrets.SUPERUSER_PASSWORD, PGCONNECT_TIMEOUT: '3' };
  const psql = (sql: string) => client.run('psql', [...at, '-c', sql], env);
  await until('PostgreSQL takes no connection', () => psql('select 1'));
  await psql(`create role petstore login password '${secrets.DATABASE_PASSWORD}'`);
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
 * Reads `namespace NAME` and `mount FOLDER` and `folder FOLDER` from its standard input, and takes them away in reverse order when that
 * ends, which it does with the process at the other end, however that ends.
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

/** Takes away what a cluster has made, even when the cluster itself was killed. */
class Teardown {
  readonly #child = spawn('sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });

  /** Tells it of something that is about to be made. */
  add(kind: 'namespace' | 'mount' | 'folder', name: string): void {
    (this.#child.stdin as Writable).write(`${kind} ${name}\n`);
  }

  /** Takes all away, and waits until it is. */
  async finish(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await ended;
  }
}
