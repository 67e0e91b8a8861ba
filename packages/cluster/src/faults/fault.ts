import type { Checker } from '../checker/checker.ts';
import type { Cluster } from '../cluster.ts';
import type { Machine } from '../machines/machine.ts';

/** What a fault acts upon. */
export interface Scene {
  readonly cluster: Cluster;
  readonly checker: Checker;
}

/** A fault that is there: what it was done to, and how it ends. */
export interface Applied {
  /** The machines, such as `db2` or `lb1, lb2`. */
  readonly to: string;
  /** Resolves when the cause is gone; what it caused may take longer. */
  readonly undo: () => Promise<void>;
}

/** Something that goes wrong in a cluster. */
export interface Fault {
  /** In lower case, with hyphens. */
  readonly id: string;
  /** What happens, for people: `The primary loses its power`. */
  readonly title: string;
  /** Whether it is over at once, and there is nothing to undo. */
  readonly isBrief?: boolean;
  /** Makes it happen. Rejects where the cluster is in no state for it. */
  readonly apply: (scene: Scene) => Promise<Applied>;
}

/** A fault that lasts until it is undone. */
export function lasting(id: string, title: string, apply: Fault['apply']): Fault {
  return { id, title, apply };
}

/** A fault that is over at once. `act` gives the machines that it was done to. */
export function brief(
  id: string,
  title: string,
  act: (scene: Scene) => Promise<readonly Machine[]>,
): Fault {
  const apply = async (scene: Scene) => ({
    to: namesOf(await act(scene)),
    undo: async () => undefined,
  });
  return { id, title, isBrief: true, apply };
}

/** The machine that is the primary now. Throws while there is none. */
export function primaryOf({ cluster, checker }: Scene): Machine {
  const { databases } = checker.state;
  // Two may say so while one of them has just thawed; the newer timeline is the one that counts.
  const [first] = databases
    .filter(({ role }) => role === 'primary')
    .sort((a, b) => (b.timeline ?? 0) - (a.timeline ?? 0));
  const machine = cluster.databases.find(({ name }) => name === first?.name);
  if (!machine) throw new Error('There is no primary now.');
  return machine;
}

/** The standbys, the one that commits wait for first. */
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
