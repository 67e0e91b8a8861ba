import type { AuditEntry } from '../../../server/src/audit/audit-entry.ts';
import { actionInWords } from './actions.ts';

type Told = Pick<AuditEntry, 'action' | 'target' | 'details'>;

/** The action and its object: `Rolled back from #5 to` `#4`, `Created the project` `pets`. */
export function deedInWords({ action, target, details }: Told): string {
  if (action !== 'deploy.activate') return actionInWords(action);
  const { from } = details;
  if (typeof from !== 'string' || from === target) return actionInWords(action);
  return numberOf(from) > numberOf(target)
    ? `Rolled back from ${from} to`
    : `Went on from ${from} to`;
}

/** The rest of an entry, without ids, which mean something to programs only. */
export function factsInWords({ action, details }: Told): string[] {
  const { id: _id, before: _before, from, to, live, problems, ...others } = details;
  const facts: string[] = [];
  if (isRecord(from) && isRecord(to)) {
    const changed = Object.keys(to).filter((name) => from[name] !== to[name]);
    facts.push(...changed.map((name) => `${name} from ${text(from[name])} to ${text(to[name])}`));
  } else if (from !== undefined && to !== undefined)
    facts.push(`from ${text(from)} to ${text(to)}`);
  if (typeof live === 'boolean') facts.push(live ? 'live at once' : 'not put live');
  if (typeof problems === 'number') facts.push(`${problems} problem${problems === 1 ? '' : 's'}`);
  for (const [name, value] of Object.entries(others)) {
    if (value !== null) facts.push(`${name}: ${text(value)}`);
    else if (action === 'domain.update') facts.push(`${name}: off`);
  }
  return facts;
}

function numberOf(target: string): number {
  return Number(target.replace('#', ''));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
