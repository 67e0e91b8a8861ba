import { useNavigate } from '@tanstack/react-router';
import type { Domain } from '../../../server/src/domains/domain.ts';
import { path, request } from '../api.ts';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { toast } from '../ui/toasts.tsx';

/** Removes a domain, and leads to the list of those that are left. */
export function useRemoval(slug: string, { hostname, unicode }: Domain) {
  const navigate = useNavigate();
  return {
    run: () => request('DELETE', path`/projects/${slug}/domains/${hostname}`),
    onDone: async () => {
      toast(`${unicode} is removed. Now delete its DNS records.`);
      // Removed, not only stale: otherwise the list would still show this domain for a moment.
      queryClient.removeQueries({ queryKey: keys.domains(slug), exact: true });
      await navigate({ to: '/projects/$slug/settings/domains', params: { slug }, replace: true });
      queryClient.removeQueries({ queryKey: keys.domain(slug, hostname) });
      void queryClient.invalidateQueries({ queryKey: keys.project(slug), exact: true });
    },
  };
}
