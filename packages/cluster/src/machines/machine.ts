import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Network, processesIn } from './network.ts';

const run = promisify(execFile);

/** The delay before an ended service is started again, as systemd's RestartSec. */
const RESTART_MS = 1_000;

/** The file in a machine's folder that says how far its clock is off; libfaketime reads it. */
export const CLOCK = 'clock';

/** A program that a machine keeps running. */
export interface Service {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Root where there is none. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** How a service ended that nobody had told to end. */
export interface Ended {
  readonly machine: string;
  readonly service: string;
  readonly how: string;
}

/**
 * One machine of the cluster: a network address, a folder, and services, which are started again when they end.
 * Emits `ended` when one ends that it was not told to end, also where somebody else killed it.
 */
export class Machine extends EventEmitter<{ ended: [Ended] }> {
  readonly name: string;
  readonly address: string;
  readonly folder: string;
  readonly #namespace: string;
  readonly #network: Network;
  readonly #services: readonly Service[];
  readonly #running = new Map<string, ChildProcess>();
  readonly #log: WriteStream;
  /** Those that were asked to end, or killed here. */
  readonly #told = new WeakSet<ChildProcess>();
  /** Services that must not run now, all of them while the machine is off. */
  readonly #held = new Set<string>();

  constructor(
    at: {
      readonly name: string;
      readonly address: string;
      readonly folder: string;
      readonly namespace: string;
      readonly network: Network;
    },
    services: readonly Service[],
  ) {
    super();
    this.name = at.name;
    this.address = at.address;
    this.folder = at.folder;
    this.#namespace = at.namespace;
    this.#network = at.network;
    this.#services = services;
    this.#log = createWriteStream(join(at.folder, `${at.name}.log`), { flags: 'a' });
  }

  /** Starts every service that does not run. */
  boot(): void {
    this.#held.clear();
    for (const service of this.#services) this.#start(service);
  }

  /** Kills every process at once, as a loss of power does; nothing runs until `boot`. */
  async crash(): Promise<void> {
    for (const { name } of this.#services) this.#held.add(name);
    for (const child of this.#running.values()) this.#told.add(child);
    await this.#signalAll('SIGKILL');
  }

  /** Kills a service, but not what it has started. It is started again, unless `hold`: then by `boot`. */
  async kill(name: string, { hold = false } = {}): Promise<void> {
    if (hold) this.#held.add(name);
    const child = this.#running.get(name);
    if (child?.pid === undefined) return;
    const ended = once(child, 'exit');
    this.#told.add(child);
    signal(child.pid, 'SIGKILL');
    await ended;
  }

  /** Kills PostgreSQL; Patroni notices and acts. */
  async killDatabase(): Promise<void> {
    for (const pid of await this.databaseProcesses()) signal(pid, 'SIGKILL');
  }

  /** Asks a service to end, and waits until it has; it is started again after that. */
  async restart(name: string): Promise<void> {
    const child = this.#running.get(name);
    if (!child) return;
    const ended = once(child, 'exit');
    this.#told.add(child);
    child.kill('SIGTERM');
    await ended;
  }

  /** Every process stands still until `thaw`; the kernel still accepts their connections. */
  async freeze(): Promise<void> {
    // A process may start another one between the listing and the signal.
    for (let round = 0; round < 2; round += 1) await this.#signalAll('SIGSTOP');
  }

  async thaw(): Promise<void> {
    await this.#signalAll('SIGCONT');
  }

  /** Drops everything that it sends and receives until `mend`, without telling either side. */
  cut(): Promise<void> {
    return this.#network.cut(this.name);
  }

  mend(): Promise<void> {
    return this.#network.mend(this.name);
  }

  /** The processes of PostgreSQL on this machine. */
  async databaseProcesses(): Promise<number[]> {
    const pids = await processesIn(this.#namespace);
    const list = run('ps', ['-o', 'pid=,comm=', '-p', pids.join(',') || '0']);
    // The signal fails where none of them exists any more.
    const { stdout } = await list.catch(() => ({ stdout: '' }));
    const lines = stdout.split('\n').filter((line) => line.endsWith(' postgres'));
    return lines.map((line) => Number.parseInt(line, 10));
  }

  /** Runs a program on this machine to its end, and returns its output. */
  async run(command: string, args: readonly string[], env: Record<string, string> = {}) {
    const inside = [`--net=/run/netns/${this.#namespace}`, command, ...args];
    const { stdout } = await run('nsenter', inside, { env: { ...process.env, ...env } });
    return stdout;
  }

  has(service: string): boolean {
    return this.#services.some(({ name }) => name === service);
  }

  /** Sets the clock that its services see ahead by this many seconds; back, where negative. Timers are not affected. */
  async stepClock(seconds: number): Promise<void> {
    await writeFile(join(this.folder, CLOCK), `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }

  /** The environment of a service. */
  environmentOf(name: string): Readonly<Record<string, string>> {
    return this.#services.find((each) => each.name === name)?.env ?? {};
  }

  /** The command that starts a program on this machine, with the arguments before the program's own. */
  get entrance(): readonly [command: string, ...args: string[]] {
    return ['nsenter', `--net=/run/netns/${this.#namespace}`];
  }

  /** Starts no more services. */
  async close(): Promise<void> {
    await this.crash();
    this.#log.end();
  }

  #start(service: Service): void {
    const { name, command, args, env = {}, user } = service;
    if (this.#running.has(name) || this.#held.has(name)) return;
    const [enter, ...into] = this.entrance;
    const as = user ? ['-S', `${user.uid}`, '-G', `${user.gid}`] : [];
    // After the change of user: files that libfaketime creates as root cannot be used by another user.
    const { LD_PRELOAD, ...others } = env;
    const loaded = LD_PRELOAD === undefined ? [] : ['env', `LD_PRELOAD=${LD_PRELOAD}`];
    const child = spawn(enter, [...into, ...as, '--', ...loaded, command, ...args], {
      cwd: this.folder,
      env: { PATH: process.env.PATH ?? '', HOME: this.folder, LANG: 'C.UTF-8', ...others },
      // A Ctrl-C for the cluster must not reach it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.set(name, child);
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => this.#log.writable && this.#log.write(chunk));
    child.once('exit', (code, by) => this.#onExit(service, child, code, by));
  }

  #onExit(
    service: Service,
    child: ChildProcess,
    code: number | null,
    by: NodeJS.Signals | null,
  ): void {
    this.#running.delete(service.name);
    if (!this.#told.has(child)) {
      const how = by === null ? `with code ${code}` : `by ${by}`;
      this.emit('ended', { machine: this.name, service: service.name, how });
    }
    sleep(RESTART_MS, undefined, { ref: false }).then(() => this.#start(service));
  }

  async #signalAll(name: NodeJS.Signals): Promise<void> {
    for (const pid of await processesIn(this.#namespace)) signal(pid, name);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
