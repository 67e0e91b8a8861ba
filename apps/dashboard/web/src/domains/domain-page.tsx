import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Domain } from '../../../server/src/domains/domain.ts';
import { hasStatus } from '../api.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.ts';
import { ProjectPage } from '../projects/project-page.tsx';
import { domainEventsQuery, domainQuery } from '../queries.ts';
import { Alert } from '../ui/alert.tsx';
import { Badge } from '../ui/badge.tsx';
import { ChevronLeft } from '../ui/icons.tsx';
import { NotFound } from '../ui/not-found.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { SkeletonPage } from '../ui/skeleton.tsx';
import { Ago } from '../ui/time.tsx';
import { CertificateCard } from './certificate-card.tsx';
import { CheckCard } from './check-card.tsx';
import { actOnDomain, useFollowers } from './domain-cache.ts';
import { DomainNotices } from './domain-notices.tsx';
import { DomainState, stateLabel } from './domain-state.tsx';
import { HstsCard } from './hsts-card.tsx';
import { LinkCard } from './link-card.tsx';
import { OpenSite } from './open-site.tsx';
import { PrimaryButton } from './primary-button.tsx';
import { RecordsCard } from './records-card.tsx';
import { RemoveCard } from './remove-card.tsx';
import { TimelineCard } from './timeline-card.tsx';
import { useVerify } from './verify.tsx';

export function DomainPage() {
  const { slug, hostname } = useParams({
    from: '/signed-in/projects/$slug/settings/domains/$hostname',
  });
  const query = useQuery(domainQuery(slug, hostname));
  if (hasStatus(query.error, 404)) {
    return <NotFound title="No such domain">This project has no domain “{hostname}”.</NotFound>;
  }
  return (
    <QueryView query={query} skeleton={<SkeletonPage />}>
      {(domain) => <DomainView key={domain.hostname} domain={domain} />}
    </QueryView>
  );
}

function DomainView({ domain }: { readonly domain: Domain }) {
  const project = useProject();
  const { slug } = project;
  const { hostname, unicode, state, primary, link } = domain;
  const events = useInfiniteQuery(domainEventsQuery(slug, hostname));
  const known = events.data ?? [];
  useFollowers(slug, domain);
  const verification = useVerify(() => actOnDomain(slug, hostname, 'verify'));
  const verify = can(project, 'domain.verify') ? verification : undefined;
  const canManage = can(project, 'domain.manage');
  return (
    <>
      <ToList />
      <ProjectPage
        title={unicode}
        documentTitle={`${stateLabel(domain)}: ${unicode}`}
        badges={
          <>
            <span role="status">
              <DomainState domain={domain} />
            </span>
            {primary && <Badge tone="accent">Primary</Badge>}
          </>
        }
        description={<Description domain={domain} />}
        actions={
          <>
            <OpenSite domain={domain} />
            {canManage && <PrimaryButton domain={domain} />}
          </>
        }
      >
        <div className="grid gap-5">
          {!canManage && <Alert>{REASONS[verify ? 'domain.manage' : 'domain.verify']}</Alert>}
          <DomainNotices domain={domain} events={known} />
          <RecordsCard domain={domain} link={link} />
          <CheckCard domain={domain} verify={verify} />
          <CertificateCard domain={domain} events={known} verify={verify} />
          {link !== null && <LinkCard domain={domain} link={link} canRenew={canManage} />}
          {state !== 'unverified' && <HstsCard domain={domain} canChange={canManage} />}
          <TimelineCard query={events} />
          {canManage && <RemoveCard domain={domain} />}
        </div>
      </ProjectPage>
    </>
  );
}

function ToList() {
  const { slug } = useProject();
  return (
    <Link
      to="/projects/$slug/settings/domains"
      params={{ slug }}
      className="-ml-1 mb-2 inline-flex items-center gap-0.5 rounded-sm text-[0.8125rem] text-muted hover:text-ink"
    >
      <ChevronLeft className="size-4" />
      All domains
    </Link>
  );
}

function Description({ domain }: { readonly domain: Domain }) {
  const { hostname, unicode, createdAt, createdBy } = domain;
  return (
    <span className="break-words">
      {hostname !== unicode && (
        <>
          <code className="font-mono text-[0.8125rem]" title="As the DNS has it (punycode)">
            {hostname}
          </code>
          {' · '}
        </>
      )}
      {hostname === unicode ? 'Added' : 'added'} <Ago at={createdAt} /> by {createdBy}
    </span>
  );
}
