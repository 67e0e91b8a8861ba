import { formatBytes } from '@petstore/service/text.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { RemovableDeploy } from '../../../server/src/quotas/quota-use.ts';
import { path, request } from '../api.ts';
import { DeployLink } from '../deploys/deploy-link.tsx';
import { can } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { removableDeploysQuery } from '../queries/quotas.ts';
import { queryClient } from '../query-client.ts';
import { Card } from '../ui/card.tsx';
import { ConfirmedButton } from '../ui/form-dialog.tsx';
import { ListView, LoadMore } from '../ui/list-view.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';

/** The deploys whose files may be removed to make room, the oldest first. */
export function StoredDeploysCard() {
  const { slug } = useProject();
  const query = useInfiniteQuery(removableDeploysQuery(slug));
  return (
    <Card
      title="Old deploys"
      description="Their files are kept to roll back to, and may be removed to make room. What deploys have in common counts once, so it goes with the last that has it."
      flush
    >
      <ListView
        query={query}
        empty={
          <p className="px-4 py-4 text-muted sm:px-5">
            None. Readers find every deploy whose files are kept.
          </p>
        }
      >
        {(deploy) => <StoredDeploy key={deploy.id} deploy={deploy} />}
      </ListView>
      <LoadMore query={query}>Show more deploys</LoadMore>
    </Card>
  );
}

function StoredDeploy({ deploy }: { readonly deploy: RemovableDeploy }) {
  const project = useProject();
  const { slug } = project;
  const { id, number, sourceName, createdAt, frees } = deploy;
  const run = async () => {
    await request('DELETE', path`/projects/${slug}/deploys/${id}/files`);
    await queryClient.invalidateQueries({ queryKey: keys.project(slug) });
    toast(`The files of deploy #${number} are removed.`);
  };
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-48">
        <p className="truncate">
          <DeployLink slug={slug} deploy={{ id, number }} />{' '}
          <span className="text-muted">{sourceName}</span>
        </p>
        <p className="text-[0.8125rem] text-muted">
          {frees === 0 ? 'Shared with other deploys' : `${formatBytes(frees)} not shared`} ·{' '}
          <Ago at={createdAt} />
        </p>
      </div>
      {can(project, 'deploy.create') && (
        <ConfirmedButton
          text="Remove files"
          label={`Remove files of deploy #${number}`}
          title={`Remove the files of deploy #${number}?`}
          description={`Nobody can roll back to it, and its own address is gone. Its entry and its log stay. ${
            frees === 0
              ? 'It frees nothing, since other deploys have the same files.'
              : `It frees ${formatBytes(frees)}.`
          }`}
          action="Remove the files"
          run={run}
        />
      )}
    </li>
  );
}
