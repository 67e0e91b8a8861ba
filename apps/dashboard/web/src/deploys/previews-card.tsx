import { useQuery } from '@tanstack/react-query';
import type { BranchPreview } from '../../../server/src/deploys/branch-preview.ts';
import { path } from '../api.ts';
import { can } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { previewsQuery } from '../queries/deploys.ts';
import { keys } from '../queries/keys.ts';
import { deleteAt } from '../query-client.ts';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/class-names.ts';
import { CopyButton } from '../ui/copy.tsx';
import { ExternalLink } from '../ui/external-link.tsx';
import { ConfirmedButton } from '../ui/form-dialog.tsx';
import { shortTime } from '../ui/format.ts';
import { ListView } from '../ui/list-view.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { Ago, Time } from '../ui/time.tsx';
import { DeployLink } from './deploy-link.tsx';

/** The previews of the project's branches. Without any it shows nothing. */
export function PreviewsCard() {
  const query = useQuery(previewsQuery(useProject().slug));
  // Most projects have none, so nothing stands there until it is known.
  if (query.isPending || query.data?.length === 0) return null;
  return (
    <Card
      title="Branch previews"
      description="Each address shows the newest deploy of its branch. Search engines are told to leave it alone."
      flush
    >
      <ListView query={query}>
        {(preview) => <PreviewRow key={preview.branch} preview={preview} />}
      </ListView>
    </Card>
  );
}

function PreviewRow({ preview }: { readonly preview: BranchPreview }) {
  const project = useProject();
  const { slug } = project;
  const { branch, url, deploy, createdAt, deployedAt, endsAt } = preview;
  const run = () =>
    deleteAt(
      path`/projects/${slug}/previews/${branch}`,
      keys.project(slug),
      `The preview of ${branch} is deleted.`,
    );
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0">
        <p className="truncate font-medium" title={branch}>
          {branch}
        </p>
        {deploy ? (
          <div className="flex min-w-0 items-center gap-1">
            <ExternalLink href={url} className={cx('truncate', TEXT_LINK)}>
              {hostOf(url)}
            </ExternalLink>
            <CopyButton value={url} what={`address of ${branch}`} />
          </div>
        ) : (
          <p className="text-muted">None of its deploys has succeeded yet.</p>
        )}
        <p className="text-[0.8125rem] text-muted">
          {deploy && (
            <>
              <DeployLink slug={slug} deploy={deploy} />
              {' · '}
            </>
          )}
          opened <Ago at={createdAt} /> · last deployed <Ago at={deployedAt} /> · ends{' '}
          <Time at={endsAt}>{shortTime(endsAt)}</Time> without another deploy
        </p>
      </div>
      {can(project, 'deploy.create') && (
        <ConfirmedButton
          title={`Delete the preview of ${branch}?`}
          description="Its address goes offline at once, and the files of its deploys are removed. Another deploy of the branch opens it again."
          action="Delete"
          run={run}
          label={`Delete the preview of ${branch}`}
        />
      )}
    </li>
  );
}
