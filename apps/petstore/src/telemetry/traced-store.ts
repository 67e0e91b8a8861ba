import type { Store } from '../store/store.ts';

/** The database operation of a call. */
interface Call {
  /** The table. */
  readonly collection: string;
  /** Its name in SQL, such as `SELECT`. */
  readonly operation: string;
}

/** The span of a call. */
export interface CallSpan {
  run<T>(call: () => T): T;
  end(): void;
  fail(error: unknown): void;
}

type StartSpan = (call: Call) => CallSpan | undefined;

type Method = (...args: unknown[]) => unknown;

const OPERATIONS: Readonly<Record<string, string>> = {
  ...{ create: 'INSERT', add: 'INSERT', addFirst: 'INSERT', addMany: 'INSERT', place: 'INSERT' },
  ...{ get: 'SELECT', list: 'SELECT', rows: 'SELECT', findActive: 'SELECT', idOf: 'SELECT' },
  ...{ update: 'UPDATE', end: 'UPDATE', revoke: 'UPDATE', remove: 'DELETE' },
};

/**
 * The same store, with a span for each call of its resources: from the call to its result, the wait in a queue
 * included. `start` begins a span, or none where nobody traces.
 */
export function tracedStore(store: Store, start: StartSpan): Store {
  const { pets, categories, orders, keys } = store;
  return {
    ...store,
    pets: traced(pets, 'pets', start),
    categories: traced(categories, 'categories', start),
    orders: traced(orders, 'orders', start),
    keys: traced(keys, 'api_keys', start),
  };
}

function traced<T extends object>(calls: T, collection: string, start: StartSpan): T {
  const entries = Object.entries(calls).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    const operation = OPERATIONS[name] ?? name;
    const method: Method = value.bind(calls);
    return [
      name,
      (...args: unknown[]) => inSpan(start({ collection, operation }), () => method(...args)),
    ];
  });
  return Object.fromEntries(entries) as T;
}

function inSpan(span: CallSpan | undefined, call: () => unknown): unknown {
  if (!span) return call();
  const failed = (error: unknown): never => {
    span.fail(error);
    throw error;
  };
  try {
    const result = span.run(call);
    if (!(result instanceof Promise)) {
      span.end();
      return result;
    }
    return result.then((value) => {
      span.end();
      return value;
    }, failed);
  } catch (error) {
    return failed(error);
  }
}
