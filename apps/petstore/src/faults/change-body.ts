import { draw } from './draw.ts';
import { timesToTell } from './event-faults.ts';
import type { Drift, EventFaults, MalformedForm } from './fault-kinds.ts';

/** What a body is changed to, and which of the faults did change it. */
export interface ChangedBody {
  readonly body: Buffer;
  readonly applied: readonly string[];
}

interface Changes {
  readonly bigIds?: boolean;
  readonly drift?: Drift;
  readonly malformed?: MalformedForm;
  readonly events?: EventFaults;
  readonly seed: number;
  readonly request: number;
}

/** The member that no document names. */
const UNKNOWN_MEMBER = 'addedLater';
/** The status that no document names. */
const UNKNOWN_STATUS = 'quarantined';

/** Changes the JSON of a body; numbers keep their digits. A body that is not JSON stays as it is. */
export function changeBody(body: Buffer, changes: Changes): ChangedBody {
  const { bigIds, drift, malformed, events, seed, request } = changes;
  const applied: string[] = [];
  let text = body.toString('utf8');
  if (bigIds || drift || events) {
    let value = parseExactly(text);
    if (value === undefined) return { body, applied };
    if (events && isPageOfEvents(value)) {
      value = value.flatMap((event) =>
        Array.from({ length: timesToTell(events, Number(event.id)) }, () => ({ ...event })),
      );
      applied.push(`events=${events.fault}`);
    }
    const items = itemsOf(value);
    if (bigIds && items.filter(enlargeIds).length > 0) applied.push('big-ids');
    const kinds =
      drift === 'all' ? (['missing', 'enum', 'unknown'] as const) : drift ? [drift] : [];
    for (const kind of kinds) {
      const change = DRIFTERS[kind];
      const changed = items.filter((item, at) =>
        change(item, draw(seed, request, `member of ${at}`)),
      );
      if (changed.length > 0) applied.push(`drift=${kind}`);
    }
    if (applied.length > 0) text = JSON.stringify(value);
  }
  if (!malformed) return { body: applied.length > 0 ? Buffer.from(text) : body, applied };
  return { body: break_(text, malformed), applied: [...applied, `malformed=${malformed}`] };
}

type Item = Record<string, unknown>;

/** A number, as it was written. */
interface RawNumber {
  readonly rawJSON: string;
}

function parseExactly(text: string): unknown {
  try {
    return JSON.parse(text, (_name, value, { source }) =>
      typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value,
    );
  } catch {
    return undefined;
  }
}

/** Whether a body is a page of events; an empty one has none. */
function isPageOfEvents(value: unknown): value is Item[] {
  const isEvent = (item: unknown) => isObject(item) && 'createdAt' in item && 'data' in item;
  return Array.isArray(value) && value.length > 0 && value.every(isEvent);
}

/** The objects that a body is about, those in events included. */
function itemsOf(value: unknown): Item[] {
  const items = (Array.isArray(value) ? value : [value]).filter(isObject);
  return items.flatMap((item) => (isObject(item.data) ? [item, item.data] : [item]));
}

function isObject(value: unknown): value is Item {
  return (
    typeof value === 'object' && value !== null && !JSON.isRawJSON(value) && !Array.isArray(value)
  );
}

/** Odd, so that a double rounds each. */
const FIRST_BIG_ID = 9_007_199_254_740_993n;

/** Makes the ids of an item larger than a double can tell apart: 1 becomes 2^53 + 1, 2 becomes 2^53 + 3, … */
function enlargeIds(item: Item): boolean {
  let isChanged = false;
  for (const [name, value] of Object.entries(item)) {
    if (name !== 'id' && !name.endsWith('Id')) continue;
    if (!JSON.isRawJSON(value)) continue;
    const id = BigInt((value as RawNumber).rawJSON);
    if (id < 1n || id > 2n ** 53n) continue;
    item[name] = JSON.rawJSON(`${FIRST_BIG_ID + 2n * (id - 1n)}`);
    isChanged = true;
  }
  return isChanged;
}

/** Each changes an item, `at` a place that is drawn, from 0 to 1, and says whether it did. */
const DRIFTERS = {
  unknown: (item: Item) => {
    item[UNKNOWN_MEMBER] = { since: '2031-01-01', values: [1, null] };
    return true;
  },
  enum: (item: Item) => {
    if (typeof item.status !== 'string') return false;
    item.status = UNKNOWN_STATUS;
    return true;
  },
  missing: (item: Item, at: number) => {
    const names = Object.keys(item).filter((name) => name !== 'id');
    const name = names[Math.floor(at * names.length)];
    if (name === undefined) return false;
    delete item[name];
    return true;
  },
} as const;

/** What a proxy might send in place of the service's JSON. */
const HTML = '<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>';

function break_(text: string, form: MalformedForm): Buffer {
  switch (form) {
    case 'truncated':
      return Buffer.from(text).subarray(0, Math.floor(Buffer.byteLength(text) / 2));
    case 'comma':
      return Buffer.from(`${text.slice(0, -1)},${text.slice(-1)}`);
    case 'quotes':
      return Buffer.from(text.includes('"') ? text.replaceAll('"', "'") : `'${text}'`);
    case 'html':
      return Buffer.from(HTML);
    case 'utf8':
      return Buffer.concat([Buffer.from(text.slice(0, -1)), NO_UTF8, Buffer.from(text.slice(-1))]);
    case 'empty':
      return Buffer.alloc(0);
  }
}

/** Bytes that no UTF-8 has. */
const NO_UTF8 = Buffer.from([0xff, 0xfe]);
