import type { Machine } from '../machines/machine.ts';
import { type Applied, anyOf, type Fault, primaryOf, synchronousStandbyOf } from './fault.ts';

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
  {
    id: 'freeze-primary',
    title: 'The primary stands still',
    apply: (scene) => freeze(primaryOf(scene)),
  },
  {
    id: 'cut-primary',
    title: 'The primary is cut off from the network',
    apply: (scene) => cut(primaryOf(scene)),
  },
  {
    id: 'freeze-standby',
    title: 'The synchronous standby stands still',
    apply: (scene) => freeze(synchronousStandbyOf(scene)),
  },
  {
    id: 'cut-standby',
    title: 'The synchronous standby is cut off from the network',
    apply: (scene) => cut(synchronousStandbyOf(scene)),
  },
  {
    id: 'freeze-api',
    title: 'An API machine stands still',
    apply: ({ cluster }) => freeze(anyOf(cluster.apis)),
  },
  {
    id: 'cut-api',
    title: 'An API machine is cut off from the network',
    apply: ({ cluster }) => cut(anyOf(cluster.apis)),
  },
];
