import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';

export interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What it may write to one file, in bytes. */
  readonly maxFileBytes: number;
  /** What each of its processes may take of memory, in bytes. */
  readonly maxMemoryBytes: number;
  /** How long each may compute, in seconds. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** What it reads. */
  readonly input?: (stdin: NodeJS.WritableStream) => Promise<void>;
  /** Reads what it prints. It may return before the end; the program is ended then. */
  readonly output?: (stdout: Readable) => Promise<void>;
}

export interface RunResult {
  /** Whether it did what it was to do: it exited with 0, or `output` had enough. */
  readonly isDone: boolean;
  /** Its beginning and its end. */
  readonly stderr: string;
}

/** How much of what a program complains of is kept, in bytes, of its beginning and of its end each. */
const STDERR_BYTES = 8_192;

/**
 * The shell that sets the bounds and becomes the program. A bound that the system does not know, or that is lower
 * already, is left as it is. A file's size is in blocks of 512 bytes. No core is written, which would have secrets in it.
 */
const BOUNDS = `
bound() { (ulimit "$1" "$2") 2>/dev/null && ulimit "$1" "$2"; }
bound -c 0; bound -f "$1"; bound -t "$2"; bound -v "$3"
shift 3
exec "$@"`;

/**
 * Runs a program within bounds, in a group of processes of its own, of which none is left when this settles. Rejects with
 * the error of the program's start, with the signal's reason, or with the error of `input` or `output`.
 */
export async function run(
  program: string,
  args: readonly string[],
  { env, cwd, maxFileBytes, maxMemoryBytes, seconds, signal, input, output }: RunOptions,
): Promise<RunResult> {
  signal.throwIfAborted();
  const kilobytes = Math.ceil(maxMemoryBytes / 1_024);
  const bounds = [Math.ceil(maxFileBytes / 512), Math.ceil(seconds), kilobytes];
  const child = spawn('/bin/sh', ['-c', BOUNDS, 'sh', ...bounds.map(String), program, ...args], {
    env,
    cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  // Its error may come while nobody waits for it yet.
  exited.catch(() => undefined);
  // The system could not start it, and says why. It may have no streams then.
  if (child.pid === undefined) await exited;
  let hasEnded = false;
  const killGroup = () => {
    // The number of a group that is gone may be given to a stranger.
    if (hasEnded || child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  };
  child.on('exit', () => {
    // What it started and did not wait for.
    killGroup();
    hasEnded = true;
  });
  signal.addEventListener('abort', killGroup);
  const complaints = keepEnds(child.stderr);
  const closed = once(child, 'close').catch(() => undefined);
  child.stdin.on('error', () => undefined);
  try {
    const written = input?.(child.stdin) ?? Promise.resolve();
    const read = output?.(child.stdout) ?? Promise.resolve(child.stdout.resume());
    await Promise.all([written.finally(() => child.stdin.end()), read]);
    const hadEnough = output !== undefined && !child.stdout.readableEnded;
    if (hadEnough) killGroup();
    const [exitCode, ended] = await exited;
    await closed;
    signal.throwIfAborted();
    // As git tells of a program that it ran itself.
    const fate =
      ended && !hadEnough ? `\n${program} died of signal ${constants.signals[ended]}` : '';
    return { isDone: hadEnough || exitCode === 0, stderr: complaints() + fate };
  } finally {
    signal.removeEventListener('abort', killGroup);
    killGroup();
    await exited.catch(() => undefined);
  }
}

/** Keeps the beginning and the end of a stream; a function that gives them as text. */
function keepEnds(stream: Readable): () => string {
  let beginning = Buffer.alloc(0);
  let end = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    const room = STDERR_BYTES - beginning.length;
    beginning = Buffer.concat([beginning, chunk.subarray(0, room)]);
    end = Buffer.concat([end, chunk.subarray(room)]).subarray(-STDERR_BYTES);
  });
  stream.on('error', () => undefined);
  return () => `${beginning}${end.length > 0 ? `\n…\n${end}` : ''}`;
}
