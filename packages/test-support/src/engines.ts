import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cleanUp, type Ending } from './endings.ts';
import type { Prepared } from './postgres.ts';
import { sharedServer } from './shared-postgres.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A database that the store's contract runs on. */
export interface Engine {
  readonly name: string;
  /** Whether a database can be opened several times at once, and again after it was closed. */
  readonly isShared: boolean;
  /**
   * The address of a new database, gone when the test ends: an empty one, or one that may have been prepared, where
   * that would take long.
   */
  readonly createDatabase: (t: Ending, prepared?: Prepared) => Promise<string>;
}

const SQLITE_IN_MEMORY: Engine = {
  name: 'SQLite in memory',
  isShared: false,
  createDatabase: async () => 'sqlite::memory:',
};

export const SQLITE_FILE: Engine = {
  name: 'SQLite file',
  isShared: true,
  createDatabase: async (t) => `sqlite:${join(await temporaryFolder(t), 'store.db')}`,
};

export const POSTGRESQL: Engine = {
  name: 'PostgreSQL',
  isShared: true,
  createDatabase: async (t, prepared) => {
    const server = await sharedServer();
    const url = await (prepared ? server.copyDatabase(prepared) : server.createDatabase());
    cleanUp(t, () => server.dropDatabase(url));
    return url;
  },
};

const ENGINES: readonly Engine[] = [SQLITE_FILE, SQLITE_IN_MEMORY, POSTGRESQL];

export type Body = (t: TestContext, engine: Engine) => Promise<void>;

const engines = new WeakMap<Ending, Engine>();

/** The engine that a test was made for; SQLite in memory for a test that named none, and for a file. */
export function engineOf(t: Ending): Engine {
  return engines.get(t) ?? SQLITE_IN_MEMORY;
}

/** `skip`: why it cannot be run here. */
interface Options {
  readonly skip?: string | false;
}

function testOn(
  candidates: readonly Engine[],
  title: string,
  body: Body,
  { skip = false }: Options = {},
): void {
  for (const engine of candidates) {
    test(`${title} [${engine.name}]`, { skip }, (t) => {
      engines.set(t, engine);
      return body(t, engine);
    });
  }
}

/** A test of the store's contract, on every engine, and on `more` of them. */
export function onEveryEngine(title: string, body: Body, more: readonly Engine[] = []): void {
  testOn([...ENGINES, ...more], title, body);
}

/** A test of what needs a database that can be opened more than once. */
export function onSharedEngines(title: string, body: Body, options?: Options): void {
  testOn(
    ENGINES.filter(({ isShared }) => isShared),
    title,
    body,
    options,
  );
}

/** A test over HTTP: what the service does is the same on SQLite and on PostgreSQL. */
export function onBothEngines(title: string, body: Body, options?: Options): void {
  testOn([SQLITE_IN_MEMORY, POSTGRESQL], title, body, options);
}
