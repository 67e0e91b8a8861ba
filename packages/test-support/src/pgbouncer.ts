import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnChild } from './children.ts';
import type { Ending } from './clean-up.ts';
import { freePort, NOT_ROOT } from './postgres.ts';
import { temporaryFolder } from './temporary-folder.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';

/** Why tests with PgBouncer cannot be run here; false: they can, or have to. */
export const WITHOUT_PGBOUNCER =
  !existsSync(PGBOUNCER) && process.env.CI_REQUIRES_ALL !== '1'
    ? 'pgbouncer is not installed: apt-get install pgbouncer'
    : false;

/** A pooler in front of a PostgreSQL server, on 127.0.0.1. */
export class PgBouncer {
  readonly port: number;
  readonly #ending: Ending;
  readonly #settings: string;
  #child: ChildProcess | undefined;

  private constructor(ending: Ending, settings: string, port: number) {
    this.#ending = ending;
    this.#settings = settings;
    this.port = port;
  }

  /** Starts one for a database, given by its address; it is gone when `t` ends. */
  static async start(
    t: Ending,
    database: string,
    mode: 'session' | 'transaction' | 'statement',
  ): Promise<PgBouncer> {
    assert.ok(existsSync(PGBOUNCER), `${PGBOUNCER} is missing: apt-get install pgbouncer`);
    const folder = await temporaryFolder(t);
    const port = await freePort();
    const { hostname, port: target, pathname, username, password } = new URL(database);
    const settings = join(folder, 'pgbouncer.ini');
    const name = pathname.slice(1);
    await writeFile(
      settings,
      `[databases]
${name} = host=${hostname} port=${target} dbname=${name} user=${username} password='${decodeURIComponent(password)}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 40
`,
    );
    // Whoever it runs as must get at them.
    await chmod(folder, 0o711);
    await chmod(settings, 0o644);
    const pooler = new PgBouncer(t, settings, port);
    await pooler.resume();
    return pooler;
  }

  /** A database's address by way of it. */
  url(database: string): string {
    const url = new URL(database);
    url.port = `${this.port}`;
    return url.href;
  }

  /** Ends it at once, with every connection. */
  async stopAtOnce(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Starts it on its port again. */
  async resume(): Promise<void> {
    const child = spawnChild(this.#ending, PGBOUNCER, [this.#settings], {
      ...NOT_ROOT,
      cwd: '/',
      env: {},
    });
    this.#child = child;
    let log = '';
    child.stderr?.on('data', (chunk) => {
      log += chunk;
    });
    const deadline = Date.now() + 120_000;
    while (!log.includes('process up')) {
      if (child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`PgBouncer did not start: ${log}`);
      }
      await sleep(10);
    }
  }
}
