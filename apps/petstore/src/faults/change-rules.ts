import { ApiError } from '@petstore/http/errors.ts';
import type { FaultStore } from '../store/contract/fault-store.ts';
import { type FaultRule, MAX_RULES, readRule, readRules, rulesText } from './fault-rules.ts';

/** How often a change of the rules is tried that others get ahead of. */
const MAX_TRIES = 10;

export const TOO_MANY_RULES = `A sandbox has at most ${MAX_RULES} rules. Delete those that it no longer needs.`;

type Rules = readonly FaultRule[];

/**
 * Changes the rules of a sandbox, also while others do. Returns them as they are then. `change` may be called again.
 * Throws what it throws, and ApiError `conflict` where others are faster each time.
 */
export async function changeRules(
  faults: FaultStore,
  sandbox: string,
  change: (rules: Rules) => Rules,
): Promise<Rules> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const text = await faults.rules(sandbox);
    const before = readRules(text);
    const after = change(before);
    const kept = new Set(after.map(({ id }) => id));
    const forgotten = before.map(({ id }) => id).filter((id) => !kept.has(id));
    if (await faults.replaceRules(sandbox, text, rulesText(after), forgotten)) return after;
  }
  throw new ApiError('conflict', 'Other requests changed the rules each time. Try again.');
}

/** Adds a rule behind the others. Throws ApiError as `readRule` does, and `conflict` where there are too many. */
export async function addRule(
  faults: FaultStore,
  sandbox: string,
  body: unknown,
  operations: readonly string[],
): Promise<FaultRule> {
  const rule = readRule(body, operations);
  await changeRules(faults, sandbox, (rules) => {
    if (rules.length >= MAX_RULES) throw new ApiError('conflict', TOO_MANY_RULES);
    return [...rules, rule];
  });
  return rule;
}
