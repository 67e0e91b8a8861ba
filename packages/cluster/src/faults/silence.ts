import type { Machine } from '../machines/machine.ts';
import {
  type Applied,
  anyOf,
  BALANCED,
  FAILOVER,
  type Fault,
  lasting,
  NEXT_STANDBY,
  primaryOf,
  synchronousStandbyOf,
} from './fault.ts';

// Machines that stop responding without closing a connection.

async function freeze(machine: Machine): Promise<Applied> {
  await machine.freeze();
  return { to: machine.name, undo: () => machine.thaw() };
}

async function cut(machine: Machine): Promise<Applied> {
  await machine.cut();
  return { to: machine.name, undo: () => machine.mend() };
}

export const SILENT_FAULTS: readonly Fault[] = [
  lasting('freeze-primary', 'The primary stands still', FAILOVER, (scene) =>
    freeze(primaryOf(scene)),
  ),
  lasting('cut-primary', 'The primary is cut off from the network', FAILOVER, (scene) =>
    cut(primaryOf(scene)),
  ),
  lasting('freeze-standby', 'The synchronous standby stands still', NEXT_STANDBY, (scene) =>
    freeze(synchronousStandbyOf(scene)),
  ),
  lasting(
    'cut-standby',
    'The synchronous standby is cut off from the network',
    NEXT_STANDBY,
    (scene) => cut(synchronousStandbyOf(scene)),
  ),
  lasting('freeze-api', 'An API machine stands still', BALANCED, ({ cluster }) =>
    freeze(anyOf(cluster.apis)),
  ),
  lasting('cut-api', 'An API machine is cut off from the network', BALANCED, ({ cluster }) =>
    cut(anyOf(cluster.apis)),
  ),
];
