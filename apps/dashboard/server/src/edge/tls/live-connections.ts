import type { Socket } from 'node:net';
import type { CanonicalHost } from '../host.ts';
import type { SiteCache } from '../sites/site-cache.ts';

/** Hosts that are asked for at once, where all of them may have changed. */
const AT_ONCE = 32;

interface LiveHost {
  readonly host: CanonicalHost;
  readonly projectId: string;
  readonly sockets: Set<Socket>;
}

/** The TLS connections that there are, by the host that they were made to. */
export class LiveConnections {
  readonly #sites: SiteCache;
  /** A host may have gone from one project to another. */
  readonly #hosts = new Map<string, LiveHost>();

  constructor(sites: SiteCache) {
    this.#sites = sites;
  }

  /**
   * From the moment on at which the host's certificate is given out. One whose client has left while the store
   * was asked for that is not added: it has closed already, and would stay for ever.
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
   * Ends the connections of projects, of all when there is no list, whose hosts serve no more, after the cache
   * has forgotten them. Asks for the hosts that have connections, and no others.
   */
  async endRemoved(projectIds: ReadonlySet<string> | undefined): Promise<void> {
    const doubtful = [...this.#hosts.values()].filter(
      ({ projectId }) => !projectIds || projectIds.has(projectId),
    );
    for (let at = 0; at < doubtful.length; at += AT_ONCE) {
      await Promise.all(
        doubtful.slice(at, at + AT_ONCE).map((live) => this.#endUnlessServed(live)),
      );
    }
  }

  async #endUnlessServed(live: LiveHost): Promise<void> {
    if (await this.#serves(live)) return;
    for (const socket of live.sockets) socket.destroy();
  }

  async #serves({ host, projectId }: LiveHost): Promise<boolean> {
    try {
      const site = await this.#sites.findSite(host);
      return site?.projectId === projectId && site.secureOrigin !== undefined;
    } catch {
      // Nobody can say, so it is taken for removed: clients connect again, once the store answers.
      return false;
    }
  }
}
