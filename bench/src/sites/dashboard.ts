import { execFile, execFileSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { DashboardClient } from '../../../apps/dashboard/server/src/commands/deploy/dashboard-client.ts';
import type { BuildInput } from '../../../apps/dashboard/server/src/deploys/artifact.ts';
import { BenchError } from '../failure.ts';
import { ROOT } from '../paths.ts';
import { descendants, freePort, residentPeakMiB } from '../processes.ts';
import { type Running, startServer } from '../service.ts';
import { percentile } from '../statistics.ts';

const PROGRAM = `${ROOT}apps/dashboard/bin/dashboard.js`;
const EMAIL = 'owner@example.com';

/** Of what the command prints, in bytes: warnings are many. */
const MAX_PRINTED = 50_000_000;

/** How often the service is asked while it builds, in milliseconds. */
const ASK_MS = 10;

/** A finished deploy, as the API has it. */
export type Deploy = Awaited<ReturnType<DashboardClient['followDeploy']>>;

export interface Deployed {
  readonly seconds: number;
  /** The most that was resident in the build's own process, in MiB. */
  readonly peakMiB: number;
  /** Of the service's answers meanwhile, in milliseconds. */
  readonly p99Ms: number;
}

/** `dashboard serve` on a database of its own, as an operator starts it. */
export class DashboardUnderTest {
  readonly #running: Running;
  readonly #client: DashboardClient;
  readonly #token: string;
  readonly #edgePort: number;
  readonly #database: string;

  private constructor(running: Running, token: string, edgePort: number, database: string) {
    this.#running = running;
    this.#client = new DashboardClient(running.origin, token);
    this.#token = token;
    this.#edgePort = edgePort;
    this.#database = database;
  }

  static async start(folder: string): Promise<DashboardUnderTest> {
    const [edgePort, httpsPort] = [await freePort(), await freePort()];
    const env = {
      ...{ DASHBOARD_DATA_DIR: folder, DASHBOARD_LOG_LEVEL: 'warn' },
      ...{ EDGE_HTTP_PORT: String(edgePort), EDGE_HTTPS_PORT: String(httpsPort) },
    };
    const run = (args: readonly string[], input = '') =>
      execFileSync(process.execPath, [PROGRAM, ...args], {
        ...{ input, encoding: 'utf8', env: { ...process.env, ...env } },
      });
    run(['users', 'create', '--email', EMAIL, '--password-stdin'], 'correct horse battery');
    const made = run(['tokens', 'create', '--email', EMAIL, '--name', 'bench', '--json']);
    const running = await startServer(
      (port) => ({
        args: [PROGRAM, 'serve'],
        env: { ...env, DASHBOARD_PORT: String(port) },
      }),
      async (port) => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok,
    );
    const { token } = JSON.parse(made) as { token: string };
    return new DashboardUnderTest(running, token, edgePort, `${folder}/dashboard.db`);
  }

  /** The origin of a project's site. */
  siteOf(slug: string): string {
    return `http://${slug}.docs.localhost:${this.#edgePort}`;
  }

  /** Of the service's process. */
  get pid(): number {
    return this.#running.server.pid;
  }

  createProject(slug: string): Promise<void> {
    return this.call('POST', '/api/projects', { name: slug, slug });
  }

  /** Calls the dashboard's API as the owner. Throws BenchError where it does not agree. */
  async call(method: string, path: string, body: object): Promise<void> {
    const response = await fetch(this.#running.origin + path, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new BenchError(`${method} ${path}: ${await response.text()}`);
  }

  /** Deploys a document, from its upload until it is live. Throws BenchError where it is refused. */
  async deploy(slug: string, upload: BuildInput): Promise<number> {
    const begun = performance.now();
    const { id } = await this.#client.queueDeploy(slug, upload, { activate: true });
    const { state, errors } = await this.#client.followDeploy(slug, id, () => undefined);
    if (state !== 'succeeded') {
      const [first] = errors;
      throw new BenchError(`${slug} was not built: ${first?.message} ${first?.path}`);
    }
    return (performance.now() - begun) / 1_000;
  }

  /** The same, while the service is asked for something else all the time. */
  async watchDeploy(slug: string, upload: BuildInput): Promise<Deployed> {
    const took: number[] = [];
    let peakMiB = 0;
    let isOver = false;
    const ask = async () => {
      while (!isOver) {
        const begun = performance.now();
        await (await fetch(`${this.#running.origin}/api/projects/${slug}`, this.#asOwner())).text();
        took.push(performance.now() - begun);
        const builds = descendants(this.#running.server.pid).map(residentPeakMiB);
        peakMiB = Math.max(peakMiB, ...builds);
        await sleep(ASK_MS);
      }
    };
    const asked = ask();
    try {
      const seconds = await this.deploy(slug, upload);
      return { seconds, peakMiB, p99Ms: percentile(took, 0.99) };
    } finally {
      isOver = true;
      await asked;
    }
  }

  /** Deploys a file with the command, as its author would. Gives the deploy, and the lines of its log. */
  async deployFile(
    slug: string,
    path: string,
  ): Promise<{
    readonly deploy: Deploy;
    readonly log: readonly string[];
    readonly peakMiB: number;
  }> {
    let peakMiB = 0;
    const watch = setInterval(() => {
      const builds = descendants(this.#running.server.pid).map(residentPeakMiB);
      peakMiB = Math.max(peakMiB, ...builds);
    }, ASK_MS);
    try {
      const env = {
        ...process.env,
        DASHBOARD_URL: this.#running.origin,
        DASHBOARD_TOKEN: this.#token,
      };
      const args = [PROGRAM, 'deploy', '--json', '--project', slug, path];
      // It ends with 1 where the deploy has failed, which is told by what it prints.
      const printed = await new Promise<string>((resolve, reject) => {
        execFile(
          process.execPath,
          args,
          { env, maxBuffer: MAX_PRINTED },
          (error, stdout, stderr) => {
            if (stdout === '') reject(new BenchError(`${path}: ${stderr || error?.message}`));
            else resolve(stdout);
          },
        );
      });
      const { id } = JSON.parse(printed) as Deploy;
      const log: string[] = [];
      const deploy = await this.#client.followDeploy(slug, id, ({ message }) => log.push(message));
      return { deploy, log, peakMiB };
    } finally {
      clearInterval(watch);
    }
  }

  #asOwner() {
    return { headers: { authorization: `Bearer ${this.#token}` } };
  }

  /** How many contents the store has. */
  countBlobs(): number {
    using db = new DatabaseSync(this.#database, { readOnly: true });
    return Number(db.prepare('SELECT count(*) AS count FROM blobs').get()?.count);
  }

  /** What the database holds, in MiB: without its log, which grows to its bound whatever is written. */
  sizeMiB(): number {
    using db = new DatabaseSync(this.#database, { readOnly: true });
    const pragma = (name: string) => Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
    const pages = pragma('page_count') - pragma('freelist_count');
    return (pages * pragma('page_size')) / 2 ** 20;
  }

  stop(): Promise<void> {
    return this.#running.server.stop();
  }
}
