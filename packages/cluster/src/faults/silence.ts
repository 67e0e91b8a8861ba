import type { Machine } from '../machines/machine.ts';
import {
  type Applied,
  anyOf,
  BALANCED,
  FAILOVER,
  type Fault,
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
  {
    id: 'freeze-primary',
    title: 'The primary stands still',
    limits: FAILOVER,
    apply: (scene) => freeze(primaryOf(scene)),
  },
  {
    id: 'cut-primary',
    title: 'The primary is cut off from the network',
    limits: FAILOVER,
    apply: (scene) => cut(primaryOf(scene)),
  },
  {
    id: 'freeze-standby',
    title: 'The synchronous standby stands still',
    limits: NEXT_STANDBY,
    apply: (scene) => freeze(synchronousStandbyOf(scene)),
  },
  {
    id: 'cut-standby',
    title: 'The synchronous standby is cut off from the network',
    limits: NEXT_STANDBY,
    apply: (scene) => cut(synchronousStandbyOf(scene)),
  },
  {
    id: 'freeze-api',
    title: 'An API machine stands still',
    limits: BALANCED,
    apply: ({ cluster }) => freeze(anyOf(cluster.apis)),
  },
  {
    id: 'cut-api',
    title: 'An API machine is cut off from the network',
    limits: BALANCED,
    apply: ({ cluster }) => cut(anyOf(cluster.apis)),
  },
];
