import type { Machine } from '../machines/machine.ts';
import {
  type Applied,
  anyOf,
  BALANCED,
  brief,
  FAILOVER,
  type Fault,
  lasting,
  NEXT_STANDBY,
  namesOf,
  ONE_OF_THREE,
  primaryOf,
  standbysOf,
  synchronousStandbyOf,
} from './fault.ts';

// Machines and programs that end at once, as by kill -9 or a loss of power.

async function crash(machine: Machine): Promise<Applied> {
  await machine.crash();
  return { to: machine.name, undo: async () => machine.boot() };
}

/** Kills a program of machines, which start it again a second later. */
async function kill(machines: readonly Machine[], program: string): Promise<readonly Machine[]> {
  await Promise.all(machines.map((machine) => machine.kill(program)));
  return machines;
}

export const POWER_FAULTS: readonly Fault[] = [
  lasting('kill-primary', 'The primary loses its power', FAILOVER, (scene) =>
    crash(primaryOf(scene)),
  ),
  lasting('kill-standby', 'The synchronous standby loses its power', NEXT_STANDBY, (scene) =>
    crash(synchronousStandbyOf(scene)),
  ),
  brief(
    'kill-postgres',
    'PostgreSQL is killed on the primary',
    { readsMs: 15_000, writesMs: 15_000 },
    async (scene) => {
      const primary = primaryOf(scene);
      await primary.killDatabase();
      return [primary];
    },
  ),
  lasting(
    'standbys-away',
    'Both standbys are away, while etcd goes on',
    { readsMs: 1_000, writesMs: 27_500, writesWait: true, steadyReadsMs: 20 },
    async (scene) => {
      const standbys = standbysOf(scene);
      for (const standby of standbys) {
        await standby.kill('patroni', { hold: true });
        await standby.killDatabase();
      }
      const undo = async () => standbys.forEach((standby) => void standby.boot());
      return { to: namesOf(standbys), undo };
    },
  ),
  brief(
    'kill-etcd',
    'etcd is killed beside the primary',
    { readsMs: 10_000, writesMs: 10_000 },
    (scene) => kill([primaryOf(scene)], 'etcd'),
  ),
  brief(
    'kill-patroni',
    'Patroni is killed on the primary, PostgreSQL is not',
    { readsMs: 3_000, writesMs: 3_000 },
    (scene) => kill([primaryOf(scene)], 'patroni'),
  ),
  lasting('kill-balancer', 'A balancer loses its power', BALANCED, ({ cluster }) =>
    crash(anyOf(cluster.balancers)),
  ),
  brief(
    'restart-balancers',
    'HAProxy is killed on both balancers, and back after a second',
    BALANCED,
    ({ cluster }) => kill(cluster.balancers, 'haproxy'),
  ),
  brief(
    'restart-pooler',
    'PgBouncer is killed, and back after a second',
    { ...ONE_OF_THREE, reachedMs: 5_000 },
    ({ cluster }) => kill([poolerOf(cluster.apis)], 'pgbouncer'),
  ),
  brief('kill-api', 'An API process is killed', ONE_OF_THREE, ({ cluster }) =>
    kill([anyOf(cluster.apis)], 'petstore'),
  ),
  brief(
    'restart-apis',
    'The API processes are restarted, one after the other',
    { readsMs: 1_000, writesMs: 1_000 },
    async ({ cluster, checker }) => {
      for (const api of cluster.apis) {
        await api.restart('petstore');
        await checker.until(`${api.name} is ready again`, ({ apis }) =>
          apis.some(({ name, reads }) => name === api.name && reads),
        );
      }
      return cluster.apis;
    },
  ),
];

function poolerOf(apis: readonly Machine[]): Machine {
  const machine = apis.find((api) => api.has('pgbouncer'));
  if (!machine) throw new Error('No API machine has a PgBouncer.');
  return machine;
}
