import type { Socket } from 'node:net';
import type { CanonicalHost } from '../host.ts';
import type { SiteCache } from '../sites/site-cache.ts';

/** Hosts looked up at the same time. */
const MAX_LOOK_UPS = 32;

interface LiveHost {
  readonly host: CanonicalHost;
  readonly projectId: string;
  readonly sockets: Set<Socket>;
}

/** The open TLS connections by host. */
export class LiveConnections {
  readonly #sites: SiteCache;
  /** By host and project: a host may move from one project to another. */
  readonly #hosts = new Map<string, LiveHost>();

  constructor(sites: SiteCache) {
    this.#sites = sites;
  }

  /**
   * Adds a connection when its host's certificate is chosen. A connection that has closed during the look-up is not
   * added: its close event is over, and it would stay for ever.
   */
  add(host: CanonicalHost, projectId: string, socket: Socket): void {
    if (socket.destroyed) return;
    const name = `${host} ${projectId}`;
    let live = this.#hosts.get(name);
    if (!live) {
      live = { host, projectId, sockets: new Set() };
      this.#hosts.set(name, live);
    }
    const { sockets } = live;
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0 && this.#hosts.get(name)?.sockets === sockets)
        this.#hosts.delete(name);
    });
  }

  /**
   * Closes the connections of projects, of all when there is no list, whose hosts serve no more. Call it after the
   * site cache's `invalidate`. Looks up only hosts that have connections.
   */
  async closeRemoved(projectIds: ReadonlySet<string> | undefined): Promise<void> {
    const affected = [...this.#hosts.values()].filter(
      ({ projectId }) => !projectIds || projectIds.has(projectId),
    );
    for (let at = 0; at < affected.length; at += MAX_LOOK_UPS) {
      await Promise.all(
        affected.slice(at, at + MAX_LOOK_UPS).map((live) => this.#closeUnlessServed(live)),
      );
    }
  }

  async #closeUnlessServed(live: LiveHost): Promise<void> {
    if (await this.#serves(live)) return;
    for (const socket of live.sockets) socket.destroy();
  }

  async #serves({ host, projectId }: LiveHost): Promise<boolean> {
    try {
      const site = await this.#sites.findSite(host);
      return site?.projectId === projectId && site.secureOrigin !== undefined;
    } catch {
      // Unknown, so the host counts as removed: clients reconnect once the store is back.
      return false;
    }
  }
}
