import { ERRORS } from '@petstore/http/errors.ts';
import { MAX_CHANGES } from '../store/sandbox/sandbox-state.ts';
import {
  FaultFieldError,
  type FieldGroup,
  type FieldItem,
  type FieldValue,
  readField,
} from './fault-field.ts';
import { DISTRIBUTIONS, type Latency, MAX_LATENCY_MS } from './latency.ts';

/** In the order of docs/faults.md, as the parameters are. */
const FAULT_NAMES = [
  ...['latency', 'status', 'reset', 'cut', 'slow', 'length', 'duplicate'],
  ...['malformed', 'type', 'drift', 'big-ids', 'stale', 'clock', 'events'],
] as const;

const PARAMETER_NAMES = [
  ...['rate', 'seed', 'when', 'retry-after', 'retry-form', 'code'],
  ...['min', 'max', 'mean', 'deviation', 'shape'],
] as const;

const NAMES = [...FAULT_NAMES, ...PARAMETER_NAMES] as const;

/** Every name that a group may have. */
type FaultName = (typeof NAMES)[number];

/** Whether something happens before the request is carried out, or when it has been and the response is to be sent. */
const MOMENTS = ['before', 'after'] as const;
type Moment = (typeof MOMENTS)[number];

/** How the JSON of a body is broken. */
const MALFORMED_FORMS = ['truncated', 'comma', 'quotes', 'html', 'utf8', 'empty'] as const;
export type MalformedForm = (typeof MALFORMED_FORMS)[number];

/** How the items of a body differ from the document. */
const DRIFTS = ['unknown', 'enum', 'missing', 'all'] as const;
export type Drift = (typeof DRIFTS)[number];

const EVENT_FAULTS = ['lost', 'duplicate'] as const;
type EventFault = (typeof EVENT_FAULTS)[number];

/** What happens to events: each is drawn for itself, by its id. */
export interface EventFaults {
  readonly fault: EventFault;
  /** The part of all events. */
  readonly rate: number;
  readonly seed: number;
}

/** Faults that happen together. What is undefined does not. */
export interface Faults {
  readonly latency?: Latency;
  readonly status?: number;
  /** The code of the Error body. */
  readonly code?: string;
  /** Seconds that a client is told to wait. */
  readonly retryAfter?: number;
  /** Whether Retry-After is the time at which to come again, and not a number of seconds. */
  readonly hasRetryDate?: boolean;
  /** When `latency` and `status` happen. */
  readonly when?: Moment;
  readonly reset?: Moment;
  /** Where the body ends: after a part of it, or after a number of bytes. */
  readonly cut?: { readonly part: number } | { readonly bytes: number };
  /** Milliseconds between two bytes of the body. */
  readonly slow?: number;
  /** How many bytes Content-Length is more than the body has. */
  readonly length?: number;
  readonly duplicate?: boolean;
  readonly malformed?: MalformedForm;
  /** The media type that the response claims; `none` for none. */
  readonly type?: string;
  readonly drift?: Drift;
  readonly bigIds?: boolean;
  /** Changes that a list does not show yet. */
  readonly stale?: number;
  /** How far the clock in the headers is ahead, in milliseconds. */
  readonly clock?: number;
  /** What happens to events, each drawn for itself. */
  readonly events?: EventFault;
}

/** Faults, how often they happen, and the seed of what is drawn. */
export interface FaultGroup extends Faults {
  /** 0 never, 1 always. */
  readonly rate: number;
  readonly seed: number;
}

/** The code of an Error body whose status has none of its own. */
const INJECTED = 'injected_fault';

const MAX_CLOCK_MS = 366 * 86_400_000;

/** Reads the text of a field. Throws FaultFieldError that says which part is wrong and what would be right. */
export function readFaults(text: string): readonly FaultGroup[] {
  return readField(text).map(readGroup);
}

function readGroup(items: FieldGroup): FaultGroup {
  const given = new Map(items.map((item) => [item.name, item]));
  for (const { name } of items) {
    if (!(NAMES as readonly string[]).includes(name)) {
      throw new FaultFieldError(
        `${name} is unknown; the faults are ${FAULT_NAMES.join(', ')}; their parameters are ${PARAMETER_NAMES.join(', ')}`,
      );
    }
  }
  const values = new Values(given);
  const latency = readLatency(values);
  const status = values.optional('status', integer(400, 599, 'an error status'));
  const code = values.optional('code', word(CODE, 'an error code such as conflict'));
  const retryAfter = values.optional('retry-after', seconds);
  const retryForm = values.optional('retry-form', oneOf(['seconds', 'date']));
  const when = values.optional('when', oneOf(MOMENTS));
  values.expect('code', status !== undefined, 'status');
  values.expect('retry-after', status !== undefined, 'status');
  values.expect('retry-form', retryAfter !== undefined, 'retry-after');
  values.expect('when', status !== undefined || latency !== undefined, 'status or latency');
  const found: Faults = {
    ...(latency && { latency }),
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(retryForm === 'date' && { hasRetryDate: true }),
    ...(when && { when }),
    ...values.as('reset', 'reset', oneOf(MOMENTS, 'before')),
    ...values.as('cut', 'cut', cut),
    ...values.as('slow', 'slow', time(1, 1_000, 10)),
    ...values.as('length', 'length', wrongLength),
    ...values.as('duplicate', 'duplicate', flag),
    ...values.as('malformed', 'malformed', oneOf(MALFORMED_FORMS, 'truncated')),
    ...values.as(
      'type',
      'type',
      word(MEDIA_TYPE, 'a media type such as text/html, or none', 'text/html'),
    ),
    ...values.as('drift', 'drift', oneOf(DRIFTS, 'unknown')),
    ...values.as('big-ids', 'bigIds', flag),
    ...values.as('stale', 'stale', integer(1, MAX_CHANGES, 'a number of changes', 1)),
    ...values.as('clock', 'clock', time(-MAX_CLOCK_MS, MAX_CLOCK_MS)),
    ...values.as('events', 'events', oneOf(EVENT_FAULTS)),
  };
  if (Object.keys(found).length === 0) {
    throw new FaultFieldError(
      `${items.map(({ text }) => text).join(';')} names no fault; add one such as status=503`,
    );
  }
  return {
    ...found,
    rate: values.optional('rate', rate) ?? 1,
    seed: values.optional('seed', integer(0, 999_999_999_999_999, 'a seed')) ?? 0,
  };
}

function readLatency(values: Values): Latency | undefined {
  const distribution = values.optional('latency', (value, fail) => {
    if (value.type !== 'word') return latencyTime(value, fail);
    const found = DISTRIBUTIONS.find((name) => name === value.text);
    return found ?? fail(`${LATENCY_TIME}, or one of ${DISTRIBUTIONS.join(', ')}`);
  });
  const is = (...names: unknown[]) => names.includes(distribution);
  values.expect('min', is('uniform', 'pareto'), 'latency=uniform or latency=pareto');
  values.expect('max', is('uniform'), 'latency=uniform');
  values.expect('mean', is('normal', 'exponential'), 'latency=normal or latency=exponential');
  values.expect('deviation', is('normal'), 'latency=normal');
  values.expect('shape', is('pareto'), 'latency=pareto');
  switch (distribution) {
    case undefined:
      return undefined;
    case 'uniform': {
      const min = values.optional('min', latencyTime) ?? 0;
      const max = values.required('max', latencyTime, distribution);
      if (min > max) throw new FaultFieldError('min must not be longer than max');
      return { distribution, min, max };
    }
    case 'normal':
      return {
        distribution,
        mean: values.required('mean', latencyTime, distribution),
        deviation: values.required('deviation', latencyTime, distribution),
      };
    case 'exponential':
      return { distribution, mean: values.required('mean', latencyTime, distribution) };
    case 'pareto':
      return {
        distribution,
        min: values.required('min', latencyTime, distribution),
        shape: values.optional('shape', shape) ?? 1.5,
      };
    default:
      return { distribution: 'fixed', ms: distribution };
  }
}

/** Throws the error of a value that must be something else. */
type Fail = (must: string) => never;
type Read<T> = (value: FieldValue, fail: Fail) => T;

/** The values of a group, by name. */
class Values {
  readonly #given: ReadonlyMap<string, FieldItem>;

  constructor(given: ReadonlyMap<string, FieldItem>) {
    this.#given = given;
  }

  optional<T>(name: FaultName, read: Read<T>): T | undefined {
    const item = this.#given.get(name);
    if (item === undefined) return undefined;
    return read(item.value, (must) => {
      throw new FaultFieldError(`${item.text} is not right: ${name} must be ${must}`);
    });
  }

  required<T>(name: FaultName, read: Read<T>, distribution: string): T {
    const value = this.optional(name, read);
    if (value !== undefined) return value;
    throw new FaultFieldError(
      `latency=${distribution} needs ${name}, such as latency=${distribution};${EXAMPLES[distribution]}`,
    );
  }

  /** The same as `optional`, as a member of an object; nothing for a flag that is off. */
  as<K extends keyof Faults, T>(name: FaultName, member: K, read: Read<T>): { [M in K]?: T } {
    const item = this.#given.get(name);
    if (item?.value.type === 'flag' && !item.value.value) return {};
    const value = this.optional(name, read);
    return (value === undefined ? {} : { [member]: value }) as { [M in K]?: T };
  }

  /** Throws where a name is there without what it belongs to. */
  expect(name: FaultName, isExpected: boolean, owner: string): void {
    if (isExpected || !this.#given.has(name)) return;
    throw new FaultFieldError(`${name} belongs to ${owner}, which is not in its group`);
  }
}

const EXAMPLES: Readonly<Record<string, string>> = {
  uniform: 'min=100ms;max=900ms',
  normal: 'mean=300ms;deviation=100ms',
  exponential: 'mean=300ms',
  pareto: 'min=100ms;shape=1.5',
};

const CODE = /^[a-z][a-z0-9_]{0,63}$/;
const MEDIA_TYPE = /^(none|[a-z]+\/[a-z0-9.+-]{1,64})$/;

const flag: Read<true> = (value, fail) =>
  value.type === 'flag' && value.value ? true : fail('there without a value');

function isFlag(value: FieldValue): boolean {
  return value.type === 'flag' && value.value;
}

function integer(min: number, max: number, what: string, byDefault?: number): Read<number> {
  return (value, fail) => {
    if (byDefault !== undefined && isFlag(value)) return byDefault;
    if (value.type === 'integer' && value.value >= min && value.value <= max) return value.value;
    return fail(`${what}, an integer from ${min} to ${max}`);
  };
}

/** A time with its unit, or an integer of milliseconds. */
function time(min: number, max: number, byDefault?: number): Read<number> {
  return (value, fail) => {
    if (byDefault !== undefined && isFlag(value)) return byDefault;
    const ms =
      value.type === 'time' ? value.ms : value.type === 'integer' ? value.value : undefined;
    if (ms !== undefined && ms >= min && ms <= max) return ms;
    return fail(`a time from ${inUnits(min)} to ${inUnits(max)}, such as ${EXAMPLE_TIME}`);
  };
}

const EXAMPLE_TIME = '800ms';
const LATENCY_TIME = `a time from 0ms to ${inUnits(MAX_LATENCY_MS)}, such as ${EXAMPLE_TIME}`;
const latencyTime = time(0, MAX_LATENCY_MS);

function inUnits(ms: number): string {
  if (ms !== 0 && ms % 86_400_000 === 0) return `${ms / 86_400_000}d`;
  return ms !== 0 && ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}

/** Whole seconds, with a unit or without. */
const seconds: Read<number> = (value, fail) => {
  const found =
    value.type === 'time' ? value.ms / 1_000 : value.type === 'integer' ? value.value : undefined;
  if (found !== undefined && Number.isInteger(found) && found >= 0 && found <= 3_600) return found;
  return fail('whole seconds from 0 to 3600, such as 2 or 2s');
};

function oneOf<const T extends string>(words: readonly T[], byDefault?: T): Read<T> {
  return (value, fail) => {
    if (byDefault !== undefined && isFlag(value)) return byDefault;
    const found = value.type === 'word' && words.find((word) => word === value.text);
    return found || fail(`one of ${words.join(', ')}`);
  };
}

function word(pattern: RegExp, what: string, byDefault?: string): Read<string> {
  return (value, fail) => {
    if (byDefault !== undefined && isFlag(value)) return byDefault;
    return value.type === 'word' && pattern.test(value.text) ? value.text : fail(what);
  };
}

const rate: Read<number> = (value, fail) => {
  const isNumber = value.type === 'integer' || value.type === 'decimal';
  if (isNumber && value.value >= 0 && value.value <= 1) return value.value;
  return fail('a part from 0 to 1, such as 0.2');
};

const shape: Read<number> = (value, fail) => {
  const isNumber = value.type === 'integer' || value.type === 'decimal';
  if (isNumber && value.value >= 0.1 && value.value <= 100) return value.value;
  return fail('a number from 0.1 to 100, such as 1.5');
};

const cut: Read<NonNullable<Faults['cut']>> = (value, fail) => {
  if (isFlag(value)) return { part: 0.5 };
  if (value.type === 'decimal' && value.value >= 0 && value.value < 1) return { part: value.value };
  if (value.type === 'integer' && value.value >= 0 && value.value <= 65_536) {
    return { bytes: value.value };
  }
  return fail('a number of bytes from 0 to 65536 such as 10, or a part such as 0.5');
};

const wrongLength: Read<number> = (value, fail) => {
  if (isFlag(value)) return 10;
  const isRight = value.type === 'integer' && value.value !== 0 && Math.abs(value.value) <= 10_000;
  return isRight ? value.value : fail('an integer from -10000 to 10000 and not 0, such as -5');
};

/** The usual code of an error status; INJECTED where this service has none. */
export function codeOf(status: number): string {
  const usual = USUAL[status];
  if (usual !== undefined) return usual;
  return Object.entries(ERRORS).find(([, error]) => error.status === status)?.[0] ?? INJECTED;
}

/** Where several codes have a status, that which a client meets most. */
const USUAL: Readonly<Record<number, string>> = { 400: 'invalid_request' };
