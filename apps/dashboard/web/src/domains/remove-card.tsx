import { useNavigate } from '@tanstack/react-router';
import type { Domain } from '../../../server/src/domains/domain.ts';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ConfirmByTyping } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';

/** Removes a domain, after saying what that ends and what it leaves. */
export function RemoveCard({ domain }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const { hostname, unicode } = domain;
  const navigate = useNavigate();
  const leave = async () => {
    toast(`${unicode} is removed. Now delete its DNS records.`);
    // Not merely stale: the list would show this domain still, for a moment.
    queryClient.removeQueries({ queryKey: keys.domains(slug), exact: true });
    await navigate({ to: '/projects/$slug/settings/domains', params: { slug }, replace: true });
    queryClient.removeQueries({ queryKey: keys.domain(slug, hostname) });
    void queryClient.invalidateQueries({ queryKey: keys.project(slug), exact: true });
  };
  return (
    <Card
      tone="negative"
      title="Remove this domain"
      description={`${unicode} stops showing the site at once. The project and its other addresses stay as they are.`}
    >
      <ConfirmByTyping
        name={hostname}
        isName={(typed) => typed.trim().toLowerCase() === hostname}
        title={`Remove ${unicode}?`}
        description={<Consequences domain={domain} />}
        action="Remove it"
        run={() => request('DELETE', path`/projects/${slug}/domains/${hostname}`)}
        onDone={leave}
        trigger={<Button variant="danger">Remove the domain</Button>}
      />
    </Card>
  );
}

function Consequences({ domain: { primary, state } }: { readonly domain: Domain }) {
  return (
    <ul className="list-disc space-y-1 pl-4">
      {state !== 'unverified' && (
        <>
          <li>It stops showing the site at once, and open connections are closed.</li>
          <li>Its certificate and the key of it are deleted.</li>
        </>
      )}
      {primary && <li>It is the primary domain: other addresses no longer lead to it.</li>}
      <li>
        While its DNS points here, the name stays reserved for this project. Delete its DNS records
        then, so that the name leads nowhere.
      </li>
    </ul>
  );
}
