import { useEffect, useRef } from 'react';
import type { Domain } from '../../../server/src/domains/domain.ts';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';

/** Keeps what the server answered to a change, and asks anew for all that may depend on it. */
export function keepDomain(slug: string, domain: Domain): void {
  queryClient.setQueryData(keys.domain(slug, domain.hostname), domain);
  void queryClient.invalidateQueries({ queryKey: keys.domains(slug) });
  void queryClient.invalidateQueries({ queryKey: keys.project(slug), exact: true });
}

/** Asks for the timeline when the domain has changed by itself, and for the project when its address may have. */
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
