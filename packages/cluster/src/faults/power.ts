import type { Machine } from '../machines/machine.ts';
import {
  type Applied,
  anyOf,
  BALANCED,
  FAILOVER,
  type Fault,
  NEXT_STANDBY,
  namesOf,
  ONE_OF_THREE,
  primaryOf,
  type Scene,
  standbysOf,
  synchronousStandbyOf,
} from './fault.ts';

// Machines and programs that end at once, as by kill -9 or a loss of power.

async function crash(machine: Machine): Promise<Applied> {
  await machine.crash();
  return { to: machine.name, undo: async () => machine.boot() };
}

/** Kills a program of a machine, which starts it again a second later. */
async function kill(machines: readonly Machine[], program: string): Promise<Applied> {
  await Promise.all(machines.map((machine) => machine.kill(program)));
  return { to: namesOf(machines), undo: async () => undefined };
}

export const POWER_FAULTS: readonly Fault[] = [
  {
    id: 'kill-primary',
    title: 'The primary loses its power',
    limits: FAILOVER,
    apply: (scene) => crash(primaryOf(scene)),
  },
  {
    id: 'kill-standby',
    title: 'The synchronous standby loses its power',
    limits: NEXT_STANDBY,
    apply: (scene) => crash(synchronousStandbyOf(scene)),
  },
  {
    id: 'kill-postgres',
    title: 'PostgreSQL is killed on the primary',
    isBrief: true,
    limits: { readsMs: 15_000, writesMs: 15_000 },
    async apply(scene) {
      const primary = primaryOf(scene);
      await primary.killDatabase();
      return { to: primary.name, undo: async () => undefined };
    },
  },
  {
    id: 'standbys-away',
    title: 'Both standbys are away, while etcd goes on',
    limits: { readsMs: 1_000, writesMs: 27_500, writesWait: true, steadyReadsMs: 20 },
    async apply(scene) {
      const standbys = standbysOf(scene);
      for (const standby of standbys) {
        await standby.kill('patroni', { hold: true });
        await standby.killDatabase();
      }
      return {
        to: namesOf(standbys),
        undo: async () => {
          for (const standby of standbys) standby.boot();
        },
      };
    },
  },
  {
    id: 'kill-etcd',
    title: 'etcd is killed beside the primary',
    isBrief: true,
    limits: { readsMs: 10_000, writesMs: 10_000 },
    apply: (scene) => kill([primaryOf(scene)], 'etcd'),
  },
  {
    id: 'kill-patroni',
    title: 'Patroni is killed on the primary, PostgreSQL is not',
    isBrief: true,
    limits: { readsMs: 3_000, writesMs: 3_000 },
    apply: (scene) => kill([primaryOf(scene)], 'patroni'),
  },
  {
    id: 'kill-balancer',
    title: 'A balancer loses its power',
    limits: BALANCED,
    apply: ({ cluster }) => crash(anyOf(cluster.balancers)),
  },
  {
    id: 'restart-balancers',
    title: 'HAProxy is killed on both balancers, and back after a second',
    isBrief: true,
    limits: BALANCED,
    apply: ({ cluster }) => kill(cluster.balancers, 'haproxy'),
  },
  {
    id: 'restart-pooler',
    title: 'PgBouncer is killed, and back after a second',
    isBrief: true,
    limits: { ...ONE_OF_THREE, reachedMs: 5_000 },
    async apply({ cluster }) {
      const pooler = poolerOf(cluster.apis);
      return { ...(await kill([pooler], 'pgbouncer')), reached: [pooler] };
    },
  },
  {
    id: 'kill-api',
    title: 'An API process is killed',
    isBrief: true,
    limits: ONE_OF_THREE,
    apply: ({ cluster }) => kill([anyOf(cluster.apis)], 'petstore'),
  },
  {
    id: 'restart-apis',
    title: 'The API processes are restarted, one after the other',
    isBrief: true,
    limits: { readsMs: 1_000, writesMs: 1_000 },
    async apply({ cluster, checker }: Scene) {
      for (const api of cluster.apis) {
        await api.restart('petstore');
        await checker.until(`${api.name} is ready again`, ({ apis }) =>
          apis.some(({ name, reads }) => name === api.name && reads),
        );
      }
      return { to: namesOf(cluster.apis), undo: async () => undefined };
    },
  },
];

function poolerOf(apis: readonly Machine[]): Machine {
  const machine = apis.find((api) => api.has('pgbouncer'));
  if (!machine) throw new Error('No API machine has a PgBouncer.');
  return machine;
}
