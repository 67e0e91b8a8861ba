import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { DeploySummary } from '../../../server/src/deploys/deploy.ts';
import { DeployCard } from '../deploys/deploy-card.tsx';
import { DeployLink } from '../deploys/deploy-link.tsx';
import { DeployRow } from '../deploys/deploy-row.tsx';
import { PreviewsCard } from '../deploys/previews-card.tsx';
import { VersionsCard } from '../deploys/versions-card.tsx';
import { deployQuery, deploysQuery } from '../queries/deploys.ts';
import { accountQuotasQuery, projectQuotasQuery } from '../queries/quotas.ts';
import { NearNotice } from '../quotas/near-notice.tsx';
import { Alert } from '../ui/alert.tsx';
import { Badge } from '../ui/badge.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/class-names.ts';
import { CopyButton } from '../ui/copy.tsx';
import { Dot } from '../ui/dot.tsx';
import { Empty } from '../ui/empty.tsx';
import { ExternalButton, ExternalLink } from '../ui/external-link.tsx';
import { count } from '../ui/format.ts';
import { Rocket } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Page } from '../ui/page.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { Ago } from '../ui/time.tsx';
import { PlanBadge } from './plan-badge.tsx';
import { useProject } from './project-context.tsx';
import { hostOf } from './site-address.ts';

export function OverviewPage() {
  const project = useProject();
  return (
    <Page
      title={project.name}
      badges={
        <>
          <PlanBadge plan={project.plan} />
          {project.private !== 'nothing' && (
            <Badge>{project.private === 'everything' ? 'Private' : 'Private previews'}</Badge>
          )}
        </>
      }
      actions={
        project.live && (
          <ExternalButton href={project.url} variant="primary">
            Visit site
          </ExternalButton>
        )
      }
    >
      <div className="grid gap-5">
        <NearBounds />
        {project.latest?.state === 'failed' && <FailedDeploy id={project.latest.id} />}
        {project.latest?.held && <HeldDeploy deploy={project.latest} />}
        {project.live ? (
          <>
            <LiveSite live={project.live} />
            <VersionsCard />
            <LastDeploys />
            <PreviewsCard />
            <DeployCard />
          </>
        ) : (
          <>
            <DeployCard />
            <VersionsCard />
            <LastDeploys />
            <PreviewsCard />
          </>
        )}
      </div>
    </Page>
  );
}

/** Says what the project has nearly used up. */
function NearBounds() {
  const project = useProject();
  const { slug } = project;
  const { data: own = [] } = useQuery(projectQuotasQuery(project));
  const isOwner = project.you.role === 'owner';
  const { data: together = [] } = useQuery({ ...accountQuotasQuery, enabled: isOwner });
  const uses = [...own, ...together].filter(({ unit }) => unit === 'bytes');
  return (
    <NearNotice uses={uses}>
      <Link
        to="/projects/$slug/settings/plan"
        params={{ slug }}
        className="rounded-sm font-medium underline underline-offset-3"
      >
        Make room
      </Link>{' '}
      by removing the files of old deploys, or ask the owner of this installation for more.
    </NearNotice>
  );
}

/** Says that a project's latest deploy failed, with a link to its problems. */
function FailedDeploy({ id }: { readonly id: string }) {
  const { slug, live } = useProject();
  const { data } = useQuery(deployQuery(slug, id));
  if (data?.state !== 'failed') return null;
  return (
    <Alert tone="negative">
      <Link
        to="/projects/$slug/deploys/$id"
        params={{ slug, id }}
        className="rounded-sm font-medium underline underline-offset-3"
      >
        Deploy #{data.number} failed with {count(data.errors.length, 'problem')}
      </Link>
      . {live ? `Deploy #${live.number} stays live.` : 'Nothing is live yet.'}
    </Alert>
  );
}

/** Says that a project's latest deploy waits for an owner, with a link to what it changes. */
function HeldDeploy({ deploy: { id, number, held } }: { readonly deploy: DeploySummary }) {
  const { slug } = useProject();
  return (
    <Alert tone="warning">
      <Link
        to="/projects/$slug/deploys/$id"
        params={{ slug, id }}
        className="rounded-sm font-medium underline underline-offset-3"
      >
        Deploy #{number} is held back
      </Link>
      . {held?.message} An owner of the project puts it live.
    </Alert>
  );
}

const SHOWN = 5;

function LastDeploys() {
  const { slug } = useProject();
  const query = useInfiniteQuery({
    ...deploysQuery(slug),
    select: ({ pages }) => pages.flatMap(({ items }) => items).slice(0, SHOWN),
  });
  return (
    <Card
      title="Last deploys"
      flush
      actions={
        <Link
          to="/projects/$slug/deploys"
          params={{ slug }}
          className={buttonClass('ghost', 'small', '-my-1')}
        >
          All deploys
        </Link>
      }
    >
      <ListView query={query} empty={<Empty icon={Rocket} title="No deploys yet" />}>
        {(deploy) => <DeployRow key={deploy.id} deploy={deploy} />}
      </ListView>
    </Card>
  );
}

/** The site at the project's address. */
function LiveSite({ live }: { readonly live: DeploySummary }) {
  const project = useProject();
  const { slug, url, platformUrl } = project;
  return (
    <Card title="Live site">
      <dl className="grid gap-x-8 gap-y-4 sm:grid-cols-2 lg:grid-cols-[minmax(0,2fr)_minmax(0,1.3fr)_minmax(0,1fr)]">
        <Fact term="Address" wide>
          <div className="flex min-w-0 items-center gap-1">
            <ExternalLink href={url} className={cx('truncate', TEXT_LINK)}>
              {hostOf(url)}
            </ExternalLink>
            <CopyButton value={url} what="address" />
          </div>
          {platformUrl !== url && (
            <p className="truncate text-[0.8125rem] text-muted">
              {project.redirectPlatformHost ? 'Leads there, too: ' : 'Also at '}
              <ExternalLink
                href={platformUrl}
                className="rounded-sm hover:text-ink hover:underline"
              >
                {hostOf(platformUrl)}
              </ExternalLink>
            </p>
          )}
        </Fact>
        <Fact term="Deploy">
          <DeployLink slug={slug} deploy={live} />{' '}
          <span className="text-muted">{live.sourceName}</span>
        </Fact>
        <Fact term="Status">
          <span className="inline-flex items-center gap-2">
            <Dot tone="positive" />
            <span>
              Live{' '}
              <span className="text-muted">
                since <Ago at={live.activatedAt ?? live.createdAt} />
              </span>
            </span>
          </span>
        </Fact>
      </dl>
    </Card>
  );
}

function Fact({
  term,
  wide = false,
  children,
}: {
  readonly term: string;
  readonly wide?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div className={wide ? 'min-w-0 sm:col-span-2 lg:col-span-1' : 'min-w-0'}>
      <dt className="text-[0.8125rem] text-muted">{term}</dt>
      <dd className="flex min-h-8 items-center">
        <div className="min-w-0 truncate">{children}</div>
      </dd>
    </div>
  );
}
