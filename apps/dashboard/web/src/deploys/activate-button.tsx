import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import { path, request } from '../api.ts';
import { can } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';

/** Puts a deploy live, forwards or backwards. Nothing where there is nothing to put live. */
export function ActivateButton({ deploy }: { readonly deploy: Deploy }) {
  const project = useProject();
  const { slug, url, live } = project;
  const { id, number } = deploy;
  if (deploy.state !== 'succeeded' || deploy.live || deploy.isPruned) return null;

  const isBack = live !== null && number < live.number;
  const action = isBack ? 'Roll back to this' : 'Make live';
  const run = async () => {
    const activated = await request<Deploy>('POST', path`/projects/${slug}/deploys/${id}/activate`);
    queryClient.setQueryData(keys.deploy(slug, id), activated);
    await queryClient.invalidateQueries({ queryKey: keys.project(slug) });
    void queryClient.invalidateQueries({ queryKey: keys.projects });
    toast(`Deploy #${number} is live.`);
  };
  return (
    <Confirm
      title={`${action}?`}
      description={
        <p>
          <strong className="break-all font-medium text-ink">{hostOf(url)}</strong> shows deploy #
          {number} at once{live && <>, instead of #{live.number}</>}. You can go back the same way.
        </p>
      }
      action={action}
      run={run}
      trigger={
        <Button variant="primary" disabled={!can(project, 'deploy.activate')}>
          {action}
        </Button>
      }
    />
  );
}
