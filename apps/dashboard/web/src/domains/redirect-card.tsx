import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Domain } from '../../../server/src/domains/domain.ts';
import type { Project } from '../../../server/src/projects/project.ts';
import { messageOf, path, request } from '../api.ts';
import { can } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { Switch } from '../ui/switch.tsx';
import { toast } from '../ui/toasts.tsx';

/** Whether the address under the platform's host redirects to the primary domain, too. */
export function RedirectCard({ primary }: { readonly primary: Domain | undefined }) {
  const project = useProject();
  const { slug, platformUrl, redirectPlatformHost } = project;
  // The choice, until the response arrives: the switch does not wait for it.
  const [chosen, setChosen] = useState<boolean>();
  const mutation = useMutation({
    mutationFn: (redirect: boolean) =>
      request<Project>('PATCH', path`/projects/${slug}`, { redirectPlatformHost: redirect }),
    onSuccess: (changed) => {
      queryClient.setQueryData(keys.project(slug), changed);
      const host = hostOf(platformUrl);
      toast(
        changed.redirectPlatformHost
          ? `${host} now redirects to the primary domain.`
          : `${host} shows the site itself again.`,
      );
    },
    onSettled: () => setChosen(undefined),
  });
  return (
    <Card>
      <div className="grid gap-3">
        {mutation.error && <Alert tone="negative">{messageOf(mutation.error)}</Alert>}
        <Switch
          label="Redirect the platform address to the primary domain"
          hint={hintFor(hostOf(platformUrl), primary)}
          checked={chosen ?? redirectPlatformHost}
          disabled={!can(project, 'project.update')}
          onChange={(redirect) => {
            setChosen(redirect);
            mutation.mutate(redirect);
          }}
        />
      </div>
    </Card>
  );
}

function hintFor(host: string, primary: Domain | undefined): string {
  const rest = 'Previews keep their own addresses.';
  if (primary?.state === 'active') {
    return `${host} then responds to every request with a 301 to ${primary.unicode}. ${rest}`;
  }
  return `${host} then responds with a 301 as soon as the primary domain is active. ${rest}`;
}
