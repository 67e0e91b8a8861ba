import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CLOCK, type Service } from './machine.ts';

type User = NonNullable<Service['user']>;

/** The program of the API. */
export const PETSTORE = new URL('../../../../apps/petstore/bin/petstore.js', import.meta.url)
  .pathname;

/** How an API process reaches the database; the commented lines of deploy/cluster/service/petstore.env. */
export type Route = 'balancer' | 'hosts' | 'pooler';

/** The variables that make a program see the clock of its machine. */
export function clockOf(folder: string, library: string): Record<string, string> {
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: join(folder, CLOCK),
    FAKETIME_CACHE_DURATION: '1',
    // Timers use the monotonic clock, which no operator can set.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** etcd and Patroni, which runs PostgreSQL. `disk` holds all data. */
export async function databaseServices(
  facts: MachineFacts,
  disk: string,
  user: User,
): Promise<Service[]> {
  const sockets = join(disk, 'sockets');
  const folders = {
    '/var/lib/etcd': join(disk, 'etcd'),
    '/var/lib/postgresql/15': join(disk, 'postgresql'),
    '/var/lib/postgresql': join(disk, 'postgresql'),
    '/var/run/postgresql': sockets,
    // There is no watchdog in a namespace.
    'mode: automatic': 'mode: "off"',
  };
  for (const folder of [disk, join(disk, 'etcd'), join(disk, 'postgresql'), sockets]) {
    await mkdir(folder, { recursive: true });
    await chown(folder, user.uid, user.gid);
    await chmod(folder, 0o700);
  }
  const file = join(disk, '..', 'patroni.yaml');
  await writeFile(file, await configuration('database/patroni.yaml', facts, folders));
  await chmod(file, 0o600);
  await chown(file, user.uid, user.gid);
  const etcd = variables(await configuration('database/etcd.env', facts, folders));
  return [
    { name: 'etcd', command: '/usr/bin/etcd', args: [], env: etcd, user },
    { name: 'patroni', command: '/usr/bin/patroni', args: [file], user },
  ];
}

/** HAProxy, and keepalived, which holds the shared address. */
export async function balancerServices(facts: MachineFacts, folder: string): Promise<Service[]> {
  const folders = { '/run/haproxy': folder };
  const haproxy = join(folder, 'haproxy.cfg');
  const keepalived = join(folder, 'keepalived.conf');
  await writeFile(haproxy, await configuration('balancer/haproxy.cfg', facts, folders));
  await writeFile(keepalived, await configuration('balancer/keepalived.conf', facts, folders));
  const pids = ['-p', '-r', '-c'].map((flag) => [flag, join(folder, `keepalived${flag}.pid`)]);
  return [
    { name: 'haproxy', command: '/usr/sbin/haproxy', args: ['-db', '-f', haproxy] },
    {
      name: 'keepalived',
      command: '/usr/sbin/keepalived',
      args: ['-n', '-l', '-P', ...pids.flat(), '-f', keepalived],
    },
  ];
}

/** `petstore serve`, with a PgBouncer beside it where its route to the database leads through one. */
export async function apiServices(
  facts: MachineFacts,
  folder: string,
  route: Route,
  user: User,
  clock: Record<string, string>,
): Promise<Service[]> {
  const file = await configuration('service/petstore.env', facts);
  const env = { ...clock, ...variables(file), PETSTORE_DATABASE_URL: routeIn(file, route) };
  const petstore = { name: 'petstore', command: process.execPath, args: [PETSTORE, 'serve'], env };
  if (route !== 'pooler') return [petstore];
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(settings, await configuration('service/pgbouncer.ini', facts));
  await chown(settings, user.uid, user.gid);
  await chmod(settings, 0o600);
  return [{ name: 'pgbouncer', command: '/usr/sbin/pgbouncer', args: [settings], user }, petstore];
}

/** The address of the database on one of the routes in the file. */
function routeIn(file: string, route: Route): string {
  const urls = [...file.matchAll(/^(?:# )?PETSTORE_DATABASE_URL=(.*)$/gm)].map(([, url]) => url);
  const url = urls[['balancer', 'hosts', 'pooler'].indexOf(route)];
  if (url === undefined)
    throw new Error(`petstore.env has no database address for the route ${route}.`);
  return url;
}

/** The files that operators install. The cluster here uses the same ones. */
const DEPLOYED = new URL('../../../../deploy/cluster/', import.meta.url);

/** The variables of the templates, as in deploy/cluster/machine.env. */
export interface MachineFacts {
  readonly MACHINE: string;
  readonly ADDRESS: string;
  readonly PEER: string;
  readonly SUPERUSER_PASSWORD: string;
  readonly REPLICATION_PASSWORD: string;
  readonly REWIND_PASSWORD: string;
  readonly DATABASE_PASSWORD: string;
  readonly DASHBOARD_DATABASE_PASSWORD: string;
  readonly DASHBOARD_SECRET_KEY: string;
}

/**
 * A file of deploy/cluster with its variables filled in, as envsubst does. `folders`: folders of a real machine, and
 * where they are here.
 */
export async function configuration(
  name: string,
  facts: MachineFacts,
  folders: Readonly<Record<string, string>> = {},
): Promise<string> {
  let text = await readFile(new URL(name, DEPLOYED), 'utf8');
  for (const [fact, value] of Object.entries(facts)) text = text.replaceAll(`\${${fact}}`, value);
  for (const [folder, here] of Object.entries(folders)) text = text.replaceAll(folder, here);
  return text;
}

/** The variables of a file of lines `NAME=value`. */
function variables(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => /^[A-Z]/.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}
