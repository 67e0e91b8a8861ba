import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Domain } from '../../../server/src/domains/domain.ts';
import type { Project } from '../../../server/src/projects/project.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { domainEventsQuery, domainQuery } from '../queries/domains.ts';
import { LoopbackWarning } from '../settings/loopback.tsx';
import { Alert } from '../ui/alert.tsx';
import { BackLink } from '../ui/back-link.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CopyField } from '../ui/copy.tsx';
import { ExternalButton } from '../ui/external-link.tsx';
import { Confirm, ConfirmByTyping } from '../ui/form-dialog.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { CertificateCard } from './certificate-card.tsx';
import { CheckCard } from './check-card.tsx';
import { ConnectCard } from './connect-card.tsx';
import { actOnDomain, useFollowers } from './domain-cache.ts';
import { DomainNotices } from './domain-notices.tsx';
import { DomainQueryView } from './domain-query-view.tsx';
import { DomainState, stateLabel } from './domain-state.tsx';
import { HstsCard } from './hsts-card.tsx';
import { MovesCard } from './move/moves-card.tsx';
import { PreparationCard, PrepareCard } from './move-card.tsx';
import { NameBadges } from './names/name-badges.tsx';
import { PairCard } from './names/pair-card.tsx';
import { ShowsCard } from './names/shows-card.tsx';
import { awaitsMove, isUnderWay } from './preparation.ts';
import { RecordsCard } from './records-card.tsx';
import { TimelineCard } from './timeline-card.tsx';
import { useRemoval } from './use-removal.ts';
import { useVerify } from './verify.tsx';

export function DomainPage() {
  const { slug, hostname } = useParams({
    from: '/signed-in/projects/$slug/settings/domains/$hostname',
  });
  const query = useQuery(domainQuery(slug, hostname));
  return (
    <DomainQueryView query={query} hostname={hostname}>
      {(domain) => <DomainView key={domain.hostname} domain={domain} />}
    </DomainQueryView>
  );
}

function DomainView({ domain }: { readonly domain: Domain }) {
  const project = useProject();
  const { slug } = project;
  const { hostname, unicode, state, link, movedAwayAt } = domain;
  const events = useInfiniteQuery(domainEventsQuery(slug, hostname));
  const known = events.data ?? [];
  useFollowers(slug, domain);
  const verification = useVerify(() => actOnDomain(slug, hostname, 'verify'));
  const verify = can(project, 'domain.verify') ? verification : undefined;
  const canManage = can(project, 'domain.manage');
  // What is to be done comes first; where all is done, how it stands.
  const isNew = state === 'unverified';
  const isWanted = isNew || movedAwayAt !== null || awaitsMove(domain);
  const records = (
    <>
      <RecordsCard domain={domain} link={link} />
      {domain.pair !== null && <PairCard domain={domain} pair={domain.pair} />}
    </>
  );
  const handOver = link !== null && <LinkCard domain={domain} link={link} canRenew={canManage} />;
  const renewal = !domain.isWildcard && !isUnderWay(domain) && (
    <Renewal domain={domain} canChange={canManage} />
  );
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
            <NameBadges domain={domain} />
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
          {isUnderWay(domain) && <PreparationCard domain={domain} canChange={canManage} />}
          {canManage && (
            <ConnectCard slug={slug} domain={domain} verify={() => verification.mutate()} />
          )}
          {isWanted && records}
          <CheckCard domain={domain} verify={verify} />
          {isNew && renewal}
          <CertificateCard domain={domain} events={known} verify={verify} />
          {isWanted ? handOver : records}
          <ShowsCard domain={domain} canChange={canManage} />
          {!isNew && renewal}
          {!isNew && <HstsCard domain={domain} canChange={canManage} />}
          {!domain.isWildcard && !isUnderWay(domain) && <MovesCard domain={domain} />}
          {!isWanted && handOver}
          <TimelineCard query={events} />
          {canManage && <RemoveCard domain={domain} />}
        </div>
      </ProjectPage>
    </>
  );
}

interface RenewalProps {
  readonly domain: Domain;
  readonly canChange: boolean;
}

/** Whether the DNS proves the name to the certificate authority, or the choice that it shall. */
function Renewal({ domain, canChange }: RenewalProps) {
  if (domain.prepare) return <PreparationCard domain={domain} canChange={canChange} />;
  return canChange && <PrepareCard domain={domain} />;
}

/** The way back to all domains of the project. */
export function ToList() {
  const { slug } = useProject();
  return (
    <BackLink to="/projects/$slug/settings/domains" params={{ slug }}>
      All domains
    </BackLink>
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

/** A link to the site at a domain, where it can be opened. */
function OpenSite({ domain }: { readonly domain: Domain }) {
  const project = useProject();
  if (domain.state === 'unverified' || domain.movedAwayAt !== null || awaitsMove(domain))
    return null;
  if (domain.isWildcard) return null;
  const address = domain.state === 'active' ? domain.url : plainAddress(domain, project);
  if (address === undefined) {
    return <span className="text-muted">Opens once the certificate is there</span>;
  }
  return <ExternalButton href={address}>Open site</ExternalButton>;
}

/** The address of the domain while it has no certificate: HTTP, at the port of the platform's own address. */
function plainAddress({ hostname }: Domain, { platformUrl }: Project): string | undefined {
  const url = new URL(platformUrl);
  // Behind a proxy that speaks HTTPS only, the plain port is unknown.
  if (url.protocol !== 'http:') return undefined;
  url.hostname = hostname;
  return url.origin;
}

/** Makes a domain the primary one. It shows nothing where it is the primary one already, or cannot be yet. */
function PrimaryButton({ domain }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const { hostname, unicode, state, primary, version } = domain;
  const isFit = !domain.isWildcard && domain.redirect === null && domain.movedAwayAt === null;
  if (primary || state === 'unverified' || awaitsMove(domain) || !isFit) return null;
  const others =
    version === null
      ? 'The project’s other domains'
      : `The project’s other domains that show ${version}`;
  const run = async () => {
    await actOnDomain(slug, hostname, 'primary');
    toast(`${unicode} is the primary domain.`);
  };
  return (
    <Confirm
      title={`Make ${unicode} primary?`}
      description={`${others} then respond to every request with a 301 to ${unicode}, with path and query kept${
        state === 'active' ? '' : ', as soon as it has its certificate'
      }. Browsers and search engines may remember that.`}
      action="Make primary"
      run={run}
      trigger={<Button>Make primary</Button>}
    />
  );
}

interface LinkCardProps {
  readonly domain: Domain;
  readonly link: string;
  readonly canRenew: boolean;
}

/** The link for whoever manages the DNS and has no account. */
function LinkCard({ domain, link, canRenew }: LinkCardProps) {
  const { slug } = useProject();
  const { hostname, unicode } = domain;
  const renew = async () => {
    await actOnDomain(slug, hostname, 'link');
    toast('The link is new; the old one has ended.');
  };
  return (
    <Card
      title="Someone else has the DNS?"
      description={`Send them this link. It shows the records and the state of ${unicode} without signing in, and nothing else of the project.`}
      actions={
        canRenew && (
          <Confirm
            title="Renew the link?"
            description="The old one ends at once: whoever has it sees nothing any more."
            action="Renew the link"
            run={renew}
            trigger={<Button size="small">Renew link</Button>}
          />
        )
      }
    >
      <div className="grid gap-3">
        <CopyField value={link} what="link" />
        <LoopbackWarning link={link} />
      </div>
    </Card>
  );
}

/** Removes a domain, after explaining what that ends and what stays. */
function RemoveCard({ domain }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const { hostname, unicode } = domain;
  const { run, onDone } = useRemoval(slug, domain);
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
        run={run}
        onDone={onDone}
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
