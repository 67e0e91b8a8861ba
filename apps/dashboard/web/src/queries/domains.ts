import { queryOptions } from '@tanstack/react-query';
import type { DomainConnectOffer } from '../../../server/src/domain-connect/offer.ts';
import type { Domain, DomainEvent, LinkedDomain } from '../../../server/src/domains/domain.ts';
import type { DomainMove, DomainTraffic } from '../../../server/src/domains/move/domain-move.ts';
import type { Rehearsal } from '../../../server/src/domains/rehearsal/rehearsal.ts';
import { hasStatus, path } from '../api.ts';
import { domainInterval } from '../domains/interval.ts';
import { BUSY_INTERVAL_MS, get, pagedList, WAITING_INTERVAL_MS } from './get.ts';
import { keys } from './keys.ts';

export const domainsQuery = (slug: string) =>
  pagedList<Domain>(keys.domains(slug), path`/projects/${slug}/domains`, domainInterval);

export const domainQuery = (slug: string, hostname: string) =>
  queryOptions({
    queryKey: keys.domain(slug, hostname),
    queryFn: get<Domain>(path`/projects/${slug}/domains/${hostname}`),
    refetchInterval: ({ state }) => domainInterval(state.data ? [state.data] : []),
  });

/** Asked once for each visit: it has a server look up others. */
export const domainConnectQuery = (slug: string, hostname: string) =>
  queryOptions({
    queryKey: keys.domainConnect(slug, hostname),
    queryFn: get<DomainConnectOffer>(path`/projects/${slug}/domains/${hostname}/domain-connect`),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** Refetched whenever the domain has changed, by the page that shows both. */
export const domainEventsQuery = (slug: string, hostname: string) =>
  pagedList<DomainEvent>(
    keys.domainEvents(slug, hostname),
    path`/projects/${slug}/domains/${hostname}/events`,
  );

/** How often a move is looked at: all who watch it share a look for as long. */
const MOVE_INTERVAL_MS = 5_000;

/** Watched until it is done. */
export const domainMoveQuery = (slug: string, hostname: string) =>
  queryOptions({
    queryKey: [...keys.domain(slug, hostname), 'move'],
    queryFn: get<DomainMove>(path`/projects/${slug}/domains/${hostname}/move`),
    refetchInterval: ({ state }) => state.data?.state !== 'done' && MOVE_INTERVAL_MS,
  });

export const domainTrafficQuery = (slug: string, hostname: string) =>
  queryOptions({
    queryKey: [...keys.domain(slug, hostname), 'traffic'],
    queryFn: get<DomainTraffic>(path`/projects/${slug}/domains/${hostname}/traffic`),
    refetchInterval: WAITING_INTERVAL_MS,
  });

/** For people with the link, without signing in. */
export const linkedDomainQuery = (secret: string) =>
  queryOptions({
    queryKey: keys.linkedDomain(secret),
    queryFn: get<LinkedDomain>(path`/domain-links/${secret}`),
    refetchInterval: ({ state }) => domainInterval(state.data ? [state.data] : []),
  });

/** The latest rehearsal of a domain's move; null: there was none. Rejects with a 404 where there is no such domain. */
export const rehearsalQuery = (slug: string, hostname: string) =>
  queryOptions({
    queryKey: keys.rehearsal(slug, hostname),
    queryFn: async ({ signal }): Promise<Rehearsal | null> => {
      const domain = path`/projects/${slug}/domains/${hostname}`;
      try {
        return await get<Rehearsal>(`${domain}/rehearsals/latest`)({ signal });
      } catch (error) {
        if (!hasStatus(error, 404)) throw error;
        await get<Domain>(domain)({ signal });
        return null;
      }
    },
    refetchInterval: ({ state }) => state.data?.finishedAt === null && BUSY_INTERVAL_MS,
  });
