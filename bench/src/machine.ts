import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { commit } from '../../packages/cluster/src/run/commit.ts';
import { BenchError } from './failure.ts';
import { type Pinning, pin, pinning } from './processes.ts';

/** Where and on what a run was made. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
  /** undefined where a browser was the client. */
  readonly wrk: string | undefined;
  readonly commit: string;
  readonly date: string;
  /** The cores of server and client; undefined when the run was not pinned. */
  readonly pinned: Pinning | undefined;
}

export function describeMachine(client: 'wrk' | 'browser' = 'wrk'): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    wrk: client === 'wrk' ? wrkVersion() : undefined,
    commit: commit(),
    date: new Date().toISOString(),
    pinned: pinning(),
  };
}

/** Throws BenchError that says what to install. */
function wrkVersion(): string {
  const { error, stdout } = spawnSync('wrk', ['-v'], { encoding: 'utf8' });
  if (error) {
    throw new BenchError(
      'wrk, the load generator, is not installed. On Debian and Ubuntu: apt-get install wrk.',
    );
  }
  return /^wrk \S+/.exec(stdout)?.[0] ?? 'wrk';
}

/**
 * Gives the server a core and the client another, so that neither takes time from the other. Where cores
 * share their hardware (hyper-threading), cores that don't are preferred. Does nothing where the machine
 * has one core or no taskset. Says what came of it.
 */
export function pinCores(): string {
  const shared = 'Server and client share the cores';
  const cores = allowedCores();
  const [server] = cores;
  if (server === undefined || cores.length < 2) return `${shared}: the machine has a single core.`;
  if (spawnSync('taskset', ['--version']).error) {
    return `${shared}: taskset (util-linux) is not installed.`;
  }
  const others = cores.slice(1);
  const siblings = siblingsOf(server);
  const client = others.find((core) => !siblings.includes(core)) ?? others[0] ?? server;
  // The runner itself keeps out of the server's way.
  execFileSync('taskset', ['-cp', String(client), String(process.pid)]);
  pin({ server, client });
  return `Server on core ${server}, client on core ${client}.`;
}

function allowedCores(): number[] {
  const status = readFileSync('/proc/self/status', 'utf8');
  return parseCores(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '0');
}

function siblingsOf(core: number): number[] {
  const path = `/sys/devices/system/cpu/cpu${core}/topology/thread_siblings_list`;
  try {
    return parseCores(readFileSync(path, 'utf8').trim());
  } catch {
    return [core];
  }
}

/** `0-2,5` as [0, 1, 2, 5]. */
function parseCores(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
