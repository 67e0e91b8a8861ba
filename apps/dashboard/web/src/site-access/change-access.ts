import { useMutation } from '@tanstack/react-query';
import type { SiteAccess, SiteAccessChange } from '../../../server/src/site-access/site-access.ts';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { queryClient, showChanged } from '../query-client.ts';
import { toast } from '../ui/toasts.tsx';

export interface AccessCardProps {
  readonly access: SiteAccess;
  /** Only owners change it. */
  readonly isOwner: boolean;
}

/** Changes who may read, at once. */
export function useAccessChange(said: (changed: SiteAccess) => string) {
  const { slug } = useProject();
  return useMutation({
    mutationFn: (change: SiteAccessChange) =>
      request<SiteAccess>('PATCH', path`/projects/${slug}/access`, change),
    onSuccess: (changed) => {
      showChanged(keys.siteAccess(slug), changed);
      void queryClient.invalidateQueries({ queryKey: keys.project(slug), exact: true });
      toast(said(changed));
    },
  });
}
