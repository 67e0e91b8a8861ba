import { lookup } from 'node:dns/promises';
import * as net from 'node:net';
import { getSystemErrorName } from 'node:util';

/** The flag by which each socket gets connections of its own: uv.h, UV_TCP_REUSEPORT. */
const REUSE_PORT = 2;

/** The backlog of Node's servers. */
interface Handle {
  readonly fd: number;
  /** Returns 0, or the negative number of a system error. */
  getsockname(into: { port?: number }): number;
  close(): void;
}

/**
 * Binds a handle without listening, as node:cluster does before it gives a handle to a worker. A number is that of a
 * system error. Node's public interface has nothing for this: its servers listen and accept, too.
 */
const bindHandle = (
  net as unknown as {
    _createServerHandle(
      ...args:
        | [address: string, port: number, family: 4 | 6, fd?: undefined, flags?: number]
        | [address: null, port: 0, family: -1, fd: number]
    ): Handle | number;
  }
)._createServerHandle;

/** The sockets of one port that this process has bound, for other processes to accept on. */
export interface Sockets {
  readonly port: number;
  /** The descriptor of each. */
  readonly fds: readonly number[];
  /** Closes them. They are gone when the processes that accept on them have closed theirs, too. */
  close(): void;
}

/**
 * Binds sockets that share a port: the system gives each about as many connections. This process never accepts
 * connections, but keeps the sockets open, so that connections which arrive while no worker has one open wait instead
 * of being refused. Where the system cannot divide a port (macOS), it is the same socket each time. `port` may be 0.
 *
 * Rejects with the system's error: EADDRINUSE, EACCES, ENOTFOUND, …
 */
export async function bindSockets(host: string, port: number, count: number): Promise<Sockets> {
  const { address, family } = await lookup(host);
  const bind = (port: number, flags: number) => bindTo(address, port, family as 4 | 6, flags);
  // Sockets that divide a port would otherwise join those of a service that runs already.
  const alone = bind(port, 0);
  if (!divides(address, family as 4 | 6)) return socketsOf(alone.port, [alone], count);
  alone.handle.close();
  const first = bind(port, REUSE_PORT);
  const others = Array.from({ length: count - 1 }, () => bind(first.port, REUSE_PORT));
  return socketsOf(first.port, [first, ...others], count);
}

/** A socket that this process was given (`activatedSockets`), for as many processes to accept on. */
export function givenSockets(fd: number, count: number): Sockets {
  const handle = bindHandle(null, 0, -1, fd);
  if (typeof handle === 'number') throw systemError(handle);
  const name: { port?: number } = {};
  handle.getsockname(name);
  return socketsOf(name.port ?? 0, [{ handle, port: name.port ?? 0 }], count);
}

interface Bound {
  readonly handle: Handle;
  readonly port: number;
}

function socketsOf(port: number, bound: readonly Bound[], count: number): Sockets {
  const handles = bound.map(({ handle }) => handle);
  return {
    port,
    fds: Array.from({ length: count }, (_, at) => (handles[at % handles.length] as Handle).fd),
    close: () => {
      for (const handle of handles) handle.close();
    },
  };
}

function bindTo(address: string, port: number, family: 4 | 6, flags: number): Bound {
  const handle = bindHandle(address, port, family, undefined, flags);
  if (typeof handle === 'number') throw systemError(handle);
  // Only here the system reports that the address is in use.
  const name: { port?: number } = {};
  const error = handle.getsockname(name);
  if (error === 0) return { handle, port: name.port ?? port };
  handle.close();
  throw systemError(error);
}

function divides(address: string, family: 4 | 6): boolean {
  try {
    bindTo(address, 0, family, REUSE_PORT).handle.close();
    return true;
  } catch {
    return false;
  }
}

function systemError(error: number): Error {
  const code = getSystemErrorName(error);
  return Object.assign(new Error(`bind ${code}`), { code, syscall: 'bind' });
}
