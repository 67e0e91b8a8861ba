import { isRecord } from '../is-record.ts';
import { findKey } from './json.ts';
import type { Resource } from './resource.ts';

/**
 * The operations of a PATCH in which those that add members one after the other are one, and those that remove members
 * are one: directories send one for each person, and each would look at everybody in the group. Others stay as they are.
 */
export function joinedOperations(operations: readonly unknown[]): unknown[] {
  const joined: unknown[] = [];
  let last: { op: string; value: unknown[] } | undefined;
  for (const operation of operations) {
    const change = isRecord(operation) ? memberChange(operation) : undefined;
    if (change && last?.op === change.op) last.value.push(...change.values);
    else {
      last = change && { op: change.op, value: [...change.values] };
      joined.push(last ? { ...last, path: 'members', value: last.value } : operation);
    }
  }
  return joined;
}

const ONE_MEMBER = /^\s*members\s*\[\s*value\s+eq\s+("(?:[^"\\]|\\.)*")\s*\]\s*$/i;

/** Whom an operation adds to the members or removes from them; undefined where it does something else. */
function memberChange(operation: Resource): { op: string; values: unknown[] } | undefined {
  const op = `${findKey(operation, 'op')}`.toLowerCase();
  const path = findKey(operation, 'path');
  const value = findKey(operation, 'value');
  if (typeof path !== 'string' || !['add', 'remove'].includes(op)) return undefined;
  if (/^\s*members\s*$/i.test(path) && Array.isArray(value)) return { op, values: value };
  const [, quoted] = ONE_MEMBER.exec(path) ?? [];
  if (op !== 'remove' || quoted === undefined) return undefined;
  try {
    return { op, values: [{ value: JSON.parse(quoted) }] };
  } catch {
    return undefined;
  }
}
