import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Ticks of the kernel's clock a second (USER_HZ, the same on all of Linux's machines). */
const TICKS_PER_SECOND = 100;

/** How long a server may take to end before it is made to, in milliseconds. */
const STOP_TIMEOUT_MS = 5_000;

export interface Command {
  /** Node unless named. */
  readonly program?: string;
  /** Its arguments; those of Node are a program and its own. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The core of servers, and that of clients. */
export interface Pinning {
  readonly server: number;
  readonly client: number;
}

let pinned: Pinning | undefined;

/** Programs that are started from now on run on these cores. */
export function pin(cores: Pinning): void {
  pinned = cores;
}

/** undefined: all programs may use all cores. */
export function pinning(): Pinning | undefined {
  return pinned;
}

/** Everything that this process started and that may still run. */
const running = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** Starts a program on the core of its side. taskset becomes it, so the pid is its own. */
function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  side: keyof Pinning,
) {
  const [file, argv] = pinned
    ? ['taskset', ['-c', String(pinned[side]), program, ...args]]
    : [program, args];
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(file, argv, {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/** Runs a client to its end, and gives what it printed. */
export async function runClient(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ out: string; err: string }> {
  const child = start(program, args, env, 'client');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { out, err };
}

const servers = new Set<ServerProcess>();

/** Ends all servers that run. */
export async function stopServers(): Promise<void> {
  await Promise.all([...servers].map((server) => server.stop()));
}

/** What a server used for some work. */
interface Used<Result> {
  readonly result: Result;
  readonly tookMs: number;
  readonly cpuMs: number;
  readonly peakMiB: number;
}

/** A server under test: its process and what the process used. */
export class ServerProcess {
  readonly #child: ReturnType<typeof start>;
  readonly pid: number;
  #lastWords = '';

  constructor({ program = process.execPath, args, env }: Command) {
    this.#child = start(program, args, { NODE_ENV: 'production', ...env }, 'server');
    this.pid = this.#child.pid ?? 0;
    servers.add(this);
    const listen = (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk).slice(-2_000);
    };
    this.#child.stdout.on('data', listen);
    this.#child.stderr.on('data', listen);
  }

  /** Throws, with the last that the program said, when it has ended. */
  assertAlive(): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
      throw new Error(`the server ended by itself: ${this.#lastWords}`);
    }
  }

  /** Processor time of the process and its descendants so far, all threads, in milliseconds. */
  #cpuMs(): number {
    return sum(tree(this.pid).map((pid) => (cpuTicks(pid) * 1_000) / TICKS_PER_SECOND));
  }

  /** The most that was resident since the start of the process or the last use, in MiB. */
  peakMiB(): number {
    return sum(tree(this.pid).map((pid) => memoryKiB(pid, 'VmHWM'))) / 1_024;
  }

  /** What is resident now, in MiB. */
  residentMiB(): number {
    return sum(tree(this.pid).map((pid) => memoryKiB(pid, 'VmRSS'))) / 1_024;
  }

  /** Waits until the server computes nothing any more: the last load's requests are done with. */
  async settle(): Promise<void> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const before = this.#cpuMs();
      await sleep(50);
      if (this.#cpuMs() - before <= 1_000 / TICKS_PER_SECOND) return;
    }
  }

  /** From rest: what `work` gives, and what the server used for it. */
  async use<Result>(work: () => Promise<Result>): Promise<Used<Result>> {
    await this.settle();
    // The peak starts anew from what is resident now.
    for (const pid of tree(this.pid)) writeFileSync(`/proc/${pid}/clear_refs`, '5');
    const cpuBefore = this.#cpuMs();
    const begun = performance.now();
    const result = await work();
    const tookMs = performance.now() - begun;
    const cpuMs = this.#cpuMs() - cpuBefore;
    this.assertAlive();
    return { result, tookMs, cpuMs, peakMiB: this.peakMiB() };
  }

  async stop(): Promise<void> {
    servers.delete(this);
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await closed;
    clearTimeout(timer);
  }
}

/** Asks the system for a port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

/** The processes that a process started, and those that they started. */
export function descendants(pid: number): number[] {
  return tree(pid).slice(1);
}

/** The most that was resident of one process, in MiB; 0 where it has ended. */
export function residentPeakMiB(pid: number): number {
  return memoryKiB(pid, 'VmHWM') / 1_024;
}

function tree(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(tree)];
}

/** proc(5): fields 14 and 15, counted after the name, which may hold spaces. */
function cpuTicks(pid: number): number {
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /, '')
    .split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

function memoryKiB(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  return Number(
    new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(read(`/proc/${pid}/status`))?.[1] ?? 0,
  );
}

/** A process may end between being listed and being read. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
