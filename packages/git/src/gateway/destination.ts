import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { isPublicAddress } from '@petstore/http/networks.ts';
import {
  AddressError,
  pinnedLookup,
  reachableAddresses,
} from '@petstore/http/reachable-addresses.ts';
import { GitError } from '../git-error.ts';
import type { GitSettings } from '../repository.ts';
import type { RepositoryUrl } from '../repository-url.ts';

/** How long a connection to the host may take, in milliseconds. */
const CONNECT_MS = 15_000;

/** Connections of one call: git needs one or two. */
const MAX_CONNECTIONS = 20;

export interface DestinationOptions {
  readonly repository: RepositoryUrl;
  readonly settings: GitSettings;
  /** What the host may send, in bytes. */
  readonly maxBytes: number;
  /** Told once, why no more passes. */
  readonly onFailure: (error: GitError) => void;
}

/**
 * The one host that git may reach in a call. It looks the name up at each connection, connects to what it found and to
 * nothing else, and counts what comes back; so a redirect or a name server leads nowhere inside, and a host that sends
 * for ever is cut off.
 */
export class Destination {
  readonly #options: DestinationOptions;
  readonly #sockets = new Set<Socket>();
  readonly #closed = new AbortController();
  #connections = 0;
  #received = 0;

  constructor(options: DestinationOptions) {
    this.#options = options;
  }

  /** Ends all connections. */
  close(): void {
    this.#closed.abort();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Says why no more passes. */
  fail(error: GitError): void {
    if (this.#closed.signal.aborted) return;
    this.close();
    this.#options.onFailure(error);
  }

  /** Connects to the host; undefined where it cannot, which was told then. */
  async connect(): Promise<Socket | undefined> {
    const { repository, settings } = this.#options;
    const { host, port } = repository;
    if (this.#closed.signal.aborted || ++this.#connections > MAX_CONNECTIONS) return undefined;
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(CONNECT_MS)]);
    let socket: Socket | undefined;
    try {
      const isAllowed = settings.allowPrivateAddresses ? () => true : isPublicAddress;
      const network = { dnsServers: settings.dnsServers, isAllowed };
      const lookup = pinnedLookup(await reachableAddresses(host, network, signal));
      socket = connect({ host, port, lookup });
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket as Socket));
      await once(socket, 'connect', { signal });
      return socket;
    } catch (error) {
      socket?.destroy();
      this.fail(whyNot(error, host, port));
      return undefined;
    }
  }

  /** Passes bytes between git and the host until either ends. */
  join(client: Socket, upstream: Socket): void {
    this.#sockets.add(client);
    client.on('close', () => {
      this.#sockets.delete(client);
      upstream.destroy();
    });
    upstream.on('close', (hadError) => {
      // What came before the end still goes to git.
      if (hadError) client.destroy();
      else client.end();
    });
    client.on('error', () => undefined);
    upstream.on('data', (chunk: Buffer) => {
      this.#received += chunk.length;
      if (this.#received > this.#options.maxBytes) this.fail(tooLarge(this.#options.maxBytes));
    });
    client.pipe(upstream).pipe(client);
  }
}

function tooLarge(maxBytes: number): GitError {
  return new GitError(
    'too_large',
    `The repository sends more than ${Math.ceil(maxBytes / 1_000_000)} MB. Use a smaller repository for the documentation, or have the limit raised.`,
  );
}

function whyNot(error: unknown, host: string, port: number): GitError {
  if (error instanceof AddressError && error.isForbidden) {
    return new GitError(
      'private_address',
      `${error.message} Use an address that can be reached from the internet, or have private addresses allowed by whoever runs the dashboard.`,
    );
  }
  const { code, message } = error as NodeJS.ErrnoException;
  const why =
    error instanceof AddressError
      ? message
      : code === 'ECONNREFUSED'
        ? `Nothing listens at port ${port} of ${host}.`
        : `${host} cannot be reached at port ${port}.`;
  return new GitError('unreachable', `${why} Check the address; it is tried again.`, {
    detail: `${code}: ${message}`,
  });
}
