import type { Checker } from '../checker/checker.ts';
import type { Cluster } from '../cluster.ts';
import type { Machine } from '../machines/machine.ts';

/** What a fault acts upon. */
export interface Scene {
  readonly cluster: Cluster;
  readonly checker: Checker;
}

/** A fault that is applied: to which machines, and how it ends. */
export interface Applied {
  /** The machines, such as `db2` or `lb1, lb2`. */
  readonly to: string;
  /** Resolves when the cause is gone; its effects may last longer. */
  readonly undo: () => Promise<void>;
  /** The API machines that it reaches while the others serve: these get requests of their own, too. */
  readonly reached?: readonly Machine[];
}

/** The limits of what clients may see of a fault, in milliseconds. */
export interface Limits {
  /** The longest time without a read that succeeded. */
  readonly readsMs: number;
  /** The longest time without a write that succeeded. */
  readonly writesMs: number;
  /** Writes wait until the cause is gone, and `writesMs` counts from then on. */
  readonly writesWait?: true;
  /** How soon after the end of the cause a machine that it reached reads and writes. */
  readonly reachedMs?: number;
  /**
   * Reads go on as ever: the p99 while the cause lasts, on a machine with enough time. The database then has no more
   * connections than the pools may hold.
   */
  readonly steadyReadsMs?: number;
}

/** Patroni's ttl, its next check, the promotion, and the balancer's next two checks. */
export const FAILOVER: Limits = { readsMs: 35_000, writesMs: 35_000 };

/**
 * Another standby confirms: the silent one is dropped after 5 s, and Patroni checks every 3 s. Reads notice nothing.
 */
export const NEXT_STANDBY: Limits = { readsMs: 1_000, writesMs: 15_000 };

/** The balancers check every second, twice; then one of them takes the address. */
export const BALANCED: Limits = { readsMs: 10_000, writesMs: 10_000 };

/** The others go on. Requests that had begun are sent again elsewhere. */
export const ONE_OF_THREE: Limits = { readsMs: 3_000, writesMs: 3_000 };

/** Something that goes wrong in a cluster. */
export interface Fault {
  /** In lower case, with hyphens. */
  readonly id: string;
  /** What happens, for people: `The primary loses its power`. */
  readonly title: string;
  /** Whether it is over at once, so that there is nothing to undo. */
  readonly isBrief?: boolean;
  readonly limits: Limits;
  /** Applies it. Rejects where the state of the cluster does not allow it. */
  readonly apply: (scene: Scene) => Promise<Applied>;
}

/** A fault that lasts until it is undone. */
export function lasting(id: string, title: string, limits: Limits, apply: Fault['apply']): Fault {
  return { id, title, limits, apply };
}

/** A fault that is over at once. `act` returns the machines that it was done to, for which `reachedMs` counts. */
export function brief(
  id: string,
  title: string,
  limits: Limits,
  act: (scene: Scene) => Promise<readonly Machine[]>,
): Fault {
  const apply = async (scene: Scene): Promise<Applied> => {
    const machines = await act(scene);
    return {
      to: namesOf(machines),
      undo: async () => undefined,
      ...(limits.reachedMs && { reached: machines }),
    };
  };
  return { id, title, isBrief: true, limits, apply };
}

/** The machine that is the primary now. Throws while there is none. */
export function primaryOf({ cluster, checker }: Scene): Machine {
  const { databases } = checker.state;
  // Two machines may report so, if one of them has just thawed. The newer timeline counts.
  const [first] = databases
    .filter(({ role }) => role === 'primary')
    .sort((a, b) => (b.timeline ?? 0) - (a.timeline ?? 0));
  const machine = cluster.databases.find(({ name }) => name === first?.name);
  if (!machine) throw new Error('There is no primary now.');
  return machine;
}

/** The standbys; the one that commits wait for comes first. */
export function standbysOf(scene: Scene): Machine[] {
  const primary = primaryOf(scene);
  const isSynchronous = (machine: Machine) =>
    scene.checker.state.databases.some(
      ({ name, isSynchronous }) => name === machine.name && isSynchronous,
    );
  return scene.cluster.databases
    .filter((each) => each !== primary)
    .sort((a, b) => Number(isSynchronous(b)) - Number(isSynchronous(a)));
}

/** The standby that commits wait for. Throws while there is none. */
export function synchronousStandbyOf(scene: Scene): Machine {
  const [first] = standbysOf(scene);
  if (!first) throw new Error('There is no standby now.');
  return first;
}

export function anyOf(machines: readonly Machine[]): Machine {
  const machine = machines[Math.floor(Math.random() * machines.length)];
  if (!machine) throw new Error('There is no such machine.');
  return machine;
}

export function namesOf(machines: readonly Machine[]): string {
  return machines.map(({ name }) => name).join(', ');
}
