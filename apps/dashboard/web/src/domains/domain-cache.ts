import { useEffect, useRef } from 'react';
import type { Domain, DomainChange } from '../../../server/src/domains/domain.ts';
import { path, request } from '../api.ts';
import { keys } from '../queries/keys.ts';
import { queryClient, showChanged } from '../query-client.ts';

/** Requests a change of a domain. */
export function changeDomain(slug: string, hostname: string, change: DomainChange) {
  return keep(slug, request('PATCH', path`/projects/${slug}/domains/${hostname}`, change));
}

/** Requests an action on a domain. */
export function actOnDomain(slug: string, hostname: string, act: 'verify' | 'primary' | 'link') {
  return keep(slug, request('POST', path`/projects/${slug}/domains/${hostname}/${act}`));
}

/** Caches the response to a change of a domain, and refetches everything that may depend on it. */
async function keep(slug: string, response: Promise<Domain>): Promise<Domain> {
  const domain = await response;
  showChanged(keys.domain(slug, domain.hostname), domain);
  void queryClient.invalidateQueries({ queryKey: keys.domains(slug) });
  void queryClient.invalidateQueries({ queryKey: keys.project(slug), exact: true });
  return domain;
}

/** Refetches the timeline when the domain has changed by itself, and the project when its address may have. */
export function useFollowers(slug: string, domain: Domain): void {
  const previous = useRef(domain);
  useEffect(() => {
    const before = previous.current;
    if (before === domain) return;
    previous.current = domain;
    const { hostname, state, primary } = domain;
    void queryClient.invalidateQueries({ queryKey: keys.domainEvents(slug, hostname) });
    if (before.state !== state || before.primary !== primary) {
      void queryClient.invalidateQueries({ queryKey: keys.project(slug), exact: true });
    }
  }, [slug, domain]);
}
