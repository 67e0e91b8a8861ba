import { randomBytes } from 'node:crypto';
import { ApiError } from '@petstore/http/errors.ts';
import { FaultFieldError } from './fault-field.ts';
import { type FaultGroup, readFaults } from './fault-kinds.ts';
import { type Plan, planOf } from './fault-plan.ts';

/** Rules of a sandbox, at most. */
export const MAX_RULES = 20;

/** The largest number of a request that a rule may name. */
export const MAX_REQUEST = 1_000_000_000;

/** A rule that is kept for a sandbox, as clients see it. */
export interface FaultRule {
  readonly id: string;
  /** As in `Petstore-Fault`. */
  readonly fault: string;
  /** The operations that it is for; all where undefined. */
  readonly operations?: readonly string[];
  /** The first of its requests that it is for, from 1. */
  readonly from: number;
  /** How many of them from then on; all where undefined. */
  readonly times?: number;
}

/** A rule that is ready to be used. */
interface Rule extends FaultRule {
  readonly groups: readonly FaultGroup[];
}

/** Rules that were read lately, by their text: every request of their sandbox needs them. */
const recent = new Map<string, readonly Rule[]>();
const MAX_RECENT = 1_000;

export function rulesText(rules: readonly FaultRule[]): string | undefined {
  return rules.length === 0 ? undefined : JSON.stringify(rules);
}

/** Reads what rulesText wrote. */
export function readRules(text: string | undefined): readonly Rule[] {
  if (text === undefined) return [];
  const known = recent.get(text);
  if (known) return known;
  const rules = (JSON.parse(text) as FaultRule[]).map((rule) => ({
    ...rule,
    groups: readFaults(rule.fault),
  }));
  recent.set(text, rules);
  const [oldest = ''] = recent.keys();
  if (recent.size > MAX_RECENT) recent.delete(oldest);
  return rules;
}

/** A rule as it is sent to clients, with how many requests it has counted. */
export interface CountedRule extends FaultRule {
  readonly requests: number;
}

export function countedRule(rule: FaultRule, counts: ReadonlyMap<string, number>): CountedRule {
  const { id, fault, operations, from, times } = rule;
  return {
    ...{ id, fault, ...(operations && { operations }), from, ...(times && { times }) },
    requests: counts.get(id) ?? 0,
  };
}

/** The rules that count a request of an operation. */
export function rulesFor(rules: readonly Rule[], operation: string): readonly Rule[] {
  return rules.filter(({ operations }) => !operations || operations.includes(operation));
}

/**
 * What the first rule does that has something for a request. `numbers`: the number of the request for each rule, by the
 * rule's id.
 */
export function planByRules(
  rules: readonly Rule[],
  numbers: ReadonlyMap<string, number>,
): Plan | undefined {
  for (const { id, from, times = MAX_REQUEST, groups } of rules) {
    const number = numbers.get(id) ?? 0;
    if (number < from || number >= from + times) continue;
    const plan = planOf(groups, number);
    if (plan) return plan;
  }
  return undefined;
}

const MEMBERS = ['fault', 'operations', 'from', 'times'];

/**
 * Reads a rule out of a body. `known`: the operations that can have faults. Throws ApiError `invalid_request`, whose
 * message begins with `place` where there is one.
 */
export function readRule(body: unknown, known: readonly string[], place = ''): FaultRule {
  const fail = (message: string): never => {
    throw new ApiError('invalid_request', `${place}${message}.`);
  };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return fail('a rule must be a JSON object such as {"fault": "status=503"}');
  }
  const { fault, operations, from = 1, times } = body as Record<string, unknown>;
  if (typeof fault !== 'string') {
    return fail(`fault is required and must be a string such as "status=503"; ${MEMBERS_ARE}`);
  }
  try {
    readFaults(fault);
  } catch (error) {
    if (!(error instanceof FaultFieldError)) throw error;
    fail(`fault: ${error.message}`);
  }
  return {
    id: `fault_${randomBytes(8).toString('hex')}`,
    fault,
    ...(operations !== undefined && { operations: readOperations(operations, known, fail) }),
    from: readNumber('from', from, fail),
    ...(times !== undefined && { times: readNumber('times', times, fail) }),
  };
}

const MEMBERS_ARE = `a rule has ${MEMBERS.join(', ')}`;

function readOperations(
  value: unknown,
  known: readonly string[],
  fail: (message: string) => never,
): string[] {
  const isRight =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= known.length &&
    value.every((name) => known.includes(name));
  return isRight
    ? [...new Set(value)]
    : fail(`operations must be an array of some of ${known.join(', ')}`);
}

function readNumber(name: string, value: unknown, fail: (message: string) => never): number {
  const number = Number(value);
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (isNumber && Number.isInteger(number) && number >= 1 && number <= MAX_REQUEST) return number;
  return fail(`${name} must be an integer from 1 to ${MAX_REQUEST}`);
}
