import type { Machine } from '../machines/machine.ts';
import {
  type Applied,
  anyOf,
  type Fault,
  lasting,
  primaryOf,
  synchronousStandbyOf,
} from './fault.ts';

// Machines that say nothing any more, and do not say that either.

async function freeze(machine: Machine): Promise<Applied> {
  await machine.freeze();
  return { to: machine.name, undo: () => machine.thaw() };
}

async function cut(machine: Machine): Promise<Applied> {
  await machine.cut();
  return { to: machine.name, undo: () => machine.mend() };
}

export const SILENT_FAULTS: readonly Fault[] = [
  lasting('freeze-primary', 'The primary stands still', (scene) => freeze(primaryOf(scene))),
  lasting('cut-primary', 'The primary is cut off from the network', (scene) =>
    cut(primaryOf(scene)),
  ),
  lasting('freeze-standby', 'The synchronous standby stands still', (scene) =>
    freeze(synchronousStandbyOf(scene)),
  ),
  lasting('cut-standby', 'The synchronous standby is cut off from the network', (scene) =>
    cut(synchronousStandbyOf(scene)),
  ),
  lasting('freeze-api', 'An API machine stands still', ({ cluster }) =>
    freeze(anyOf(cluster.apis)),
  ),
  lasting('cut-api', 'An API machine is cut off from the network', ({ cluster }) =>
    cut(anyOf(cluster.apis)),
  ),
];
