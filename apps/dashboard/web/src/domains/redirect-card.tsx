import type { Domain } from '../../../server/src/domains/domain.ts';
import type { Project } from '../../../server/src/projects/project.ts';
import { messageOf, path, request } from '../api.ts';
import { can } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { keys } from '../queries/keys.ts';
import { useChoice } from '../queries/use-choice.ts';
import { showChanged } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { Switch } from '../ui/switch.tsx';
import { toast } from '../ui/toasts.tsx';

/** Whether the address under the platform's host redirects to the primary domain, too. */
export function RedirectCard({ primary }: { readonly primary: Domain | undefined }) {
  const project = useProject();
  const { slug, platformUrl, redirectPlatformHost } = project;
  const { chosen, error, choose } = useChoice<boolean>(`project ${slug}`, async (redirect) => {
    const body = { redirectPlatformHost: redirect };
    const changed = await request<Project>('PATCH', path`/projects/${slug}`, body);
    showChanged(keys.project(slug), changed);
    const host = hostOf(platformUrl);
    toast(
      changed.redirectPlatformHost
        ? `${host} now redirects to the primary domain.`
        : `${host} shows the site itself again.`,
    );
  });
  return (
    <Card>
      <div className="grid gap-3">
        {error && <Alert tone="negative">{messageOf(error)}</Alert>}
        <Switch
          label="Redirect the platform address to the primary domain"
          hint={hintFor(hostOf(platformUrl), primary)}
          checked={chosen ?? redirectPlatformHost}
          disabled={!can(project, 'project.update')}
          onChange={choose}
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
