import type { SchemeData } from '../../src/request/operation-data.ts';

// The reader's keys: in memory as long as the tab's document lives, and in the browser where the reader asks for it.

/** What a reader entered for a scheme, or an authorization server gave out. */
export interface Keys {
  /** The key, password or token. */
  readonly value: string;
  readonly user?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly refreshToken?: string;
  /** The value that an API gave out for a sandbox: the reader may have entered another since. */
  readonly sandbox?: string;
  /** When the token ends, in milliseconds as of `Date.now()`. */
  readonly ends?: number;
}

/** The one name in this site's `localStorage`. Others may be other programs'. */
const STORAGE_NAME = 'reference-keys';

const TEXTS = ['value', 'user', 'clientId', 'clientSecret', 'refreshToken', 'sandbox'] as const;

let known: Map<string, Keys> | undefined;

/** A scheme's name, and the API that it is of where the site has several: theirs may be called alike. */
export type SchemeName = Pick<SchemeData, 'name' | 'api'>;

/** The keys for a scheme. */
export function keysOf(scheme: SchemeName): Keys {
  known ??= new Map(readStored());
  return known.get(entryName(scheme)) ?? { value: '' };
}

export function keepKeys(scheme: SchemeName, keys: Keys): void {
  keysOf(scheme);
  known?.set(entryName(scheme), keys);
  if (isRemembering()) store();
}

/** No address of an API has the letter between the two. */
const entryName = ({ api, name }: SchemeName) => (api === undefined ? name : `${api}\0${name}`);

export function isRemembering(): boolean {
  return storage()?.getItem(STORAGE_NAME) != null;
}

/** Keeps the keys in the browser from now on, or forgets at once those that it keeps. */
export function remember(isWanted: boolean): void {
  if (isWanted) store();
  else storage()?.removeItem(STORAGE_NAME);
}

function store(): void {
  try {
    storage()?.setItem(STORAGE_NAME, JSON.stringify([...(known ?? [])]));
  } catch {
    // It is full, or not allowed: the keys stay in memory.
  }
}

function readStored(): [string, Keys][] {
  try {
    const stored: unknown = JSON.parse(storage()?.getItem(STORAGE_NAME) ?? '[]');
    return Array.isArray(stored) ? stored.flatMap(readEntry) : [];
  } catch {
    return [];
  }
}

function readEntry(entry: unknown): [string, Keys][] {
  if (!Array.isArray(entry)) return [];
  const [scheme, given] = entry as unknown[];
  if (typeof scheme !== 'string' || typeof given !== 'object' || given === null) return [];
  const fields = given as { readonly [name: string]: unknown };
  const texts = TEXTS.filter((name) => typeof fields[name] === 'string').map((name) => [
    name,
    fields[name],
  ]);
  const ends = typeof fields.ends === 'number' ? { ends: fields.ends } : {};
  return [[scheme, { value: '', ...Object.fromEntries(texts), ...ends }]];
}

/** The browser's storage, where it is allowed. */
function storage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
