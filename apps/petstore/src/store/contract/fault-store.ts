import type { Awaitable } from './awaitable.ts';

/**
 * What is kept of the faults of sandboxes: rules as text, and counters of requests. A sandbox that goes takes both with
 * it; a reset keeps the rules and takes the counters. Calls may fail as those of Store.
 */
export interface FaultStore {
  /** The rules of a sandbox as `rulesText` writes them; undefined for none. */
  rules(sandbox: string): Awaitable<string | undefined>;
  /** If the rules are still `expected`, replaces them and deletes the counters in `forgotten`; otherwise false. */
  replaceRules(
    sandbox: string,
    expected: string | undefined,
    rules: string | undefined,
    forgotten: readonly string[],
  ): Promise<boolean>;
  /** Counts a request with each of some counters. Returns its number in each, from 1. */
  count(sandbox: string, counters: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** How far the counters of a sandbox have come; one that has not begun is missing. */
  counts(sandbox: string): Promise<ReadonlyMap<string, number>>;
}
