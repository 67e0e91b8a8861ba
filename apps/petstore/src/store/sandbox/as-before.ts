import type { SandboxState } from './sandbox-state.ts';

/** A state as it was before its last changes, as far as it remembers them. */
export function asBefore(state: SandboxState, count: number): SandboxState {
  const maps = {
    pets: new Map<bigint, unknown>(state.pets),
    categories: new Map<bigint, unknown>(state.categories),
    orders: new Map<bigint, unknown>(state.orders),
  };
  for (const change of state.changes.slice(-count).toReversed()) {
    for (const { in: kind, id, before } of change.toReversed()) {
      if (before === undefined) maps[kind].delete(id);
      else maps[kind].set(id, before);
    }
  }
  return {
    ...state,
    pets: ascending(maps.pets as SandboxState['pets']),
    categories: ascending(maps.categories as SandboxState['categories']),
    orders: ascending(maps.orders as SandboxState['orders']),
  };
}

function ascending<T>(items: ReadonlyMap<bigint, T>): ReadonlyMap<bigint, T> {
  return new Map([...items].sort(([a], [b]) => (a < b ? -1 : 1)));
}
