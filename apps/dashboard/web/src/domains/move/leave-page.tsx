import { useMutation, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Domain } from '../../../../server/src/domains/domain.ts';
import type { DomainTraffic } from '../../../../server/src/domains/move/domain-move.ts';
import { path } from '../../api.ts';
import { can, REASONS } from '../../projects/permissions.ts';
import { ProjectPage, useProject } from '../../projects/project-context.tsx';
import { domainQuery, domainTrafficQuery } from '../../queries/domains.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/form-dialog.tsx';
import { count, exactDay } from '../../ui/format.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { SkeletonPage } from '../../ui/skeleton.tsx';
import { Ago, useNow } from '../../ui/time.tsx';
import { toast } from '../../ui/toasts.tsx';
import { actOnDomain } from '../domain-cache.ts';
import { DomainQueryView } from '../domain-query-view.tsx';
import { useRemoval } from '../use-removal.ts';
import { VerifyButton, VerifyRefusal } from '../verify.tsx';
import { ToDomain } from './to-domain.tsx';
import { TrafficBars } from './traffic-bars.tsx';

/** What to do, in which order, to move a name away without a gap. */
export function LeavePage() {
  const { slug, hostname } = useParams({
    from: '/signed-in/projects/$slug/settings/domains/$hostname/leave',
  });
  const domain = useQuery(domainQuery(slug, hostname));
  const traffic = useQuery(domainTrafficQuery(slug, hostname));
  return (
    <DomainQueryView query={domain} hostname={hostname}>
      {(shown) => (
        <>
          <ToDomain slug={slug} domain={shown} />
          <ProjectPage
            title={`Move ${shown.unicode} away`}
            description="In this order no visitor meets a gap. The site is served here for as long as anyone comes."
          >
            <div className="grid gap-5">
              <StepsCard domain={shown} />
              <QueryView query={traffic} skeleton={<SkeletonPage />}>
                {(counted) => (
                  <>
                    <TrafficCard domain={shown} traffic={counted} />
                    <RemovalCard domain={shown} traffic={counted} />
                  </>
                )}
              </QueryView>
            </div>
          </ProjectPage>
        </>
      )}
    </DomainQueryView>
  );
}

function StepsCard({ domain }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const { hostname, certificate, prepare, records } = domain;
  const main = records.find(({ name }) => name === hostname);
  const challenge = `_acme-challenge.${hostname}`;
  const download = path`/projects/${slug}/export?hostname=${hostname}`;
  return (
    <Card title="What to do elsewhere" flush>
      <ol className="divide-y divide-line">
        <Step number={1} title="Take the site along">
          <p>
            All pages and files as they are served now, with the redirects for Netlify, Cloudflare
            and nginx, and as JSON. Any web server can serve them.
          </p>
          <a
            href={`/api${download}`}
            download
            className={buttonClass('secondary', 'small', 'mt-2')}
          >
            Download the site
          </a>
        </Step>
        <Step number={2} title="Get a certificate there first">
          <p>
            The new host can prove the name by a record at <Name>{challenge}</Name> while this one
            still serves.
            {prepare &&
              ' That name leads here now: replace its CNAME by the record that the new host asks for.'}
            {certificate &&
              ` The certificate here is good until ${exactDay(certificate.notAfter)}, whatever you change.`}
          </p>
        </Step>
        <Step number={3} title="Lower the TTL">
          <p>
            Set the TTL of the {main?.type ?? 'CNAME'} record of{' '}
            <Name>{main?.host ?? hostname}</Name> to 300, and wait until the TTL that it has now is
            over. Then the change reaches everyone within five minutes, and so does a step back.
          </p>
        </Step>
        <Step number={4} title="Mind HSTS">
          <Hsts domain={domain} />
        </Step>
        <Step number={5} title="Change the record">
          <p>
            Replace <Name>{main?.value ?? hostname}</Name> by what the new host names.
          </p>
        </Step>
        <Step number={6} title="Clean up">
          <p>
            When nobody comes here any more, remove the domain below
            {prepare ? (
              <>
                , and the CNAME at <Name>{challenge}</Name> if it is still there: until then it
                renews the certificate for those who come late.
              </>
            ) : (
              ' and what is left of its records.'
            )}
          </p>
        </Step>
      </ol>
    </Card>
  );
}

function Step({
  number,
  title,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 px-4 py-3.5 sm:px-5">
      <span
        aria-hidden
        className="grid size-6 place-items-center rounded-full bg-subtle font-medium text-[0.8125rem] text-muted"
      >
        {number}
      </span>
      <div className="min-w-0 max-w-prose wrap-anywhere">
        <h3 className="font-medium">{title}</h3>
        <div className="mt-0.5 text-muted">{children}</div>
      </div>
    </li>
  );
}

const Name = ({ children }: { readonly children: string }) => (
  <code className="font-mono text-[0.8125rem] text-ink">{children}</code>
);

const DAY_SECONDS = 86_400;

function Hsts({ domain: { hsts } }: { readonly domain: Domain }) {
  if (!hsts) return <p>It is off here: browsers insist on nothing.</p>;
  const { maxAgeSeconds, includeSubdomains } = hsts;
  const days = Math.ceil(maxAgeSeconds / DAY_SECONDS);
  return (
    <Alert tone="warning">
      It is on here. Browsers insist on a valid certificate for {count(days, 'day')} after their
      last visit{includeSubdomains && ', for all names below as well'}, at the new host too. Without
      one there, switch it off now, and move {count(days, 'day')} later.
    </Alert>
  );
}

function TrafficCard({
  domain,
  traffic,
}: {
  readonly domain: Domain;
  readonly traffic: DomainTraffic;
}) {
  const project = useProject();
  const { hostname, movedAwayAt } = domain;
  const verify = useMutation({
    mutationFn: () => actOnDomain(project.slug, hostname, 'verify'),
    onSuccess: (checked) =>
      toast(
        checked.pointsHere
          ? 'Checked just now: the record still leads here.'
          : 'Checked just now: the record leads elsewhere.',
      ),
  });
  const now = useNow(10_000);
  return (
    <Card
      title="Who still comes here"
      description={
        movedAwayAt === null ? (
          `The record ${domain.pointsHere ? 'leads here' : 'does not lead here yet'}. Once it has changed, requests are counted here until they end.`
        ) : (
          <>
            The record was seen to lead elsewhere <Ago at={movedAwayAt} />. The site is served here
            all the same.
          </>
        )
      }
      actions={
        can(project, 'domain.verify') && (
          <VerifyButton verify={verify} label="Check the record" variant="secondary" />
        )
      }
    >
      <div className="grid gap-4">
        {can(project, 'domain.verify') && <VerifyRefusal verify={verify} />}
        {movedAwayAt !== null && <TrafficBars traffic={traffic} at={now} />}
        {movedAwayAt === null && (
          <p className="text-muted">
            Changed it already? The record is checked once a day; have it checked now.
          </p>
        )}
      </div>
    </Card>
  );
}

function RemovalCard({
  domain,
  traffic: { isQuiet },
}: {
  readonly domain: Domain;
  readonly traffic: DomainTraffic;
}) {
  const project = useProject();
  const { run, onDone } = useRemoval(project.slug, domain);
  const { unicode } = domain;
  const mayRemove = can(project, 'domain.manage');
  return (
    <Card
      tone={isQuiet ? 'negative' : 'neutral'}
      title="Remove it here"
      description={
        !isQuiet
          ? 'The owners are told when nobody asked for it here for a week. Then one click here removes it; before that, the page of the domain does.'
          : mayRemove
            ? 'Nobody asked for it here for a week.'
            : `Nobody asked for it here for a week. ${REASONS['domain.manage']}`
      }
      actions={
        isQuiet &&
        mayRemove && (
          <Confirm
            title={`Remove ${unicode}?`}
            description="Its certificate and the key of it are deleted."
            action="Remove it"
            danger
            run={run}
            onDone={onDone}
            trigger={<Button variant="danger">Remove the domain</Button>}
          />
        )
      }
    />
  );
}
