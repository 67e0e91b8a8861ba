import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Domain } from '../../../server/src/domains/domain.ts';
import type { Project } from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { domainsQuery } from '../queries/domains.ts';
import { installationQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { queryClient, showChanged } from '../query-client.ts';
import { useUser } from '../session/session.ts';
import { Alert } from '../ui/alert.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CheckBox } from '../ui/check-box.tsx';
import { cx } from '../ui/class-names.ts';
import { Empty } from '../ui/empty.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog, type FormDialogProps } from '../ui/form-dialog.tsx';
import { count } from '../ui/format.ts';
import { Globe, Plus } from '../ui/icons.tsx';
import { ListView, LoadMore } from '../ui/list-view.tsx';
import { ROW_LINK } from '../ui/text-link.ts';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { WithCode } from '../ui/with-code.tsx';
import { DomainState, standingOf } from './domain-state.tsx';
import { NameBadges } from './names/name-badges.tsx';
import { PairField, typedPair } from './names/pair-field.tsx';
import { RedirectCard } from './redirect-card.tsx';

export function DomainListPage() {
  const project = useProject();
  const query = useInfiniteQuery(domainsQuery(project.slug));
  // Kept here: the list with the button may be replaced while someone types a name.
  const [isAdding, setAdding] = useState(false);
  const domains = query.data;
  const obstacle = domains && obstacleOf(project, domains.length);
  const canAdd = domains !== undefined && obstacle === undefined;
  const add = canAdd && (
    <Button variant="primary" onClick={() => setAdding(true)}>
      <Plus />
      Add domain
    </Button>
  );
  return (
    <ProjectPage
      title="Domains"
      description="Host names of your own that show this project’s site."
      actions={
        <>
          {can(project, 'domain.verify') && (
            <Link
              to="/projects/$slug/settings/domains/check"
              params={{ slug: project.slug }}
              className={buttonClass()}
            >
              Check a name
            </Link>
          )}
          {domains && domains.length > 0 && add}
        </>
      }
    >
      <AddDomainDialog openState={[isAdding, setAdding]} />
      <div className="grid gap-5">
        {obstacle && <ObstacleNotice obstacle={obstacle} />}
        <Card flush footer={domains && domains.length > 0 && inUse(project, domains.length)}>
          <ListView
            query={query}
            empty={
              <Empty icon={Globe} title="No domains yet" action={add}>
                Show this site at an address of your own, such as docs.example.com. You create one
                DNS record; the certificate comes by itself and is renewed by itself.
              </Empty>
            }
          >
            {(domain) => <DomainRow key={domain.hostname} domain={domain} />}
          </ListView>
          <LoadMore query={query}>Show more domains</LoadMore>
        </Card>
        {domains && domains.length > 0 && (
          <RedirectCard
            primary={domains.find(({ primary, version }) => primary && version === null)}
          />
        )}
      </div>
    </ProjectPage>
  );
}

/** How much of the plan's limit is used, where there is one. */
function inUse({ limits: { customDomains } }: Project, domains: number): string | undefined {
  if (customDomains === null || customDomains === 0) return undefined;
  return `${domains} of ${count(customDomains, 'domain')} of this plan in use.`;
}

/** A domain in the list; the whole row leads to it. */
function DomainRow({ domain }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const { hostname, unicode, checkedAt, movedAwayAt, issuance } = domain;
  const isTrouble = movedAwayAt !== null || issuance?.isOverdue === true;
  return (
    <li className="relative grid gap-x-6 gap-y-1 px-4 py-3.5 transition-colors hover:bg-subtle/60 sm:grid-cols-[minmax(0,1fr)_auto] sm:px-5">
      <div className="min-w-0">
        <div className="flex min-w-0 items-center gap-2">
          <Link
            to="/projects/$slug/settings/domains/$hostname"
            params={{ slug, hostname }}
            className={cx(ROW_LINK, 'min-w-0 font-semibold')}
          >
            {unicode}
          </Link>
          <NameBadges domain={domain} />
        </div>
        <p
          className={cx(
            'mt-0.5 line-clamp-2 break-words text-[0.8125rem]',
            isTrouble ? 'text-warning' : 'text-muted',
          )}
        >
          {standingOf(domain)}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-x-3 text-[0.8125rem] sm:flex-col sm:items-end sm:justify-center">
        <DomainState domain={domain} />
        <span className="text-muted">
          {checkedAt === null ? (
            'not checked yet'
          ) : (
            <>
              checked <Ago at={checkedAt} />
            </>
          )}
        </span>
      </div>
    </li>
  );
}

/** Adds a host name, then leads to its page with the records to create. */
function AddDomainDialog(props: Required<Pick<FormDialogProps<Domain>, 'openState'>>) {
  const { slug } = useProject();
  const navigate = useNavigate();
  const [prepare, setPrepare] = useState(false);
  const { data: installation } = useQuery(installationQuery);
  const mayPrepare = installation?.prepare === true;
  const [typed, setTyped] = useState('');
  const [isPair, setPair] = useState(true);
  const pair = isPair && typedPair(nameIn(typed)) !== undefined;
  return (
    <FormDialog
      {...props}
      title="Add a domain"
      description="You are then told exactly which DNS records it needs."
      fields={['hostname']}
      conflictField="hostname"
      action="Add domain"
      run={({ hostname = '' }) =>
        request<Domain>('POST', path`/projects/${slug}/domains`, {
          hostname: nameIn(hostname),
          ...(prepare && { prepare }),
          ...(pair && { pair }),
        })
      }
      onDone={async (domain) => {
        const { hostname, unicode } = domain;
        setPrepare(false);
        setTyped('');
        setPair(true);
        showChanged(keys.domain(slug, hostname), domain);
        toast(`${unicode} is added. Now create its DNS records.`);
        await navigate({
          to: '/projects/$slug/settings/domains/$hostname',
          params: { slug, hostname },
        });
        // Removed, not only stale: otherwise the way back would show the list without this domain for a moment.
        queryClient.removeQueries({ queryKey: keys.domains(slug), exact: true });
      }}
    >
      <TextField
        name="hostname"
        label="Host name"
        placeholder="docs.example.com"
        hint="A name of a domain that you have: a subdomain such as docs.example.com, example.com itself, or *.docs.example.com for versions and previews."
        onChange={(event) => setTyped(event.currentTarget.value)}
        inputMode="url"
        autoCapitalize="none"
        autoComplete="off"
        maxLength={512}
        required
      />
      <PairField typed={nameIn(typed)} checked={isPair} onChange={setPair} />
      <CheckBox
        label="Prepare first: for a site that is live elsewhere now"
        hint={
          installation === undefined || mayPrepare ? (
            'One more record brings the certificate before you change the DNS, so that the site moves without a second of outage.'
          ) : (
            <WithCode>
              {
                'Not available: this dashboard has no DNS zone of its own. Whoever runs it sets `DNS_ZONE`.'
              }
            </WithCode>
          )
        }
        checked={mayPrepare && prepare}
        disabled={!mayPrepare}
        onChange={setPrepare}
      />
    </FormDialog>
  );
}

/** The host of a pasted address such as browsers show; any other text as it is. */
function nameIn(text: string): string {
  const typed = text.trim();
  return /^https?:/i.test(typed) && URL.canParse(typed) ? new URL(typed).hostname : typed;
}

type Obstacle = 'role' | 'plan' | 'deploy' | 'full';

/** The reason why a domain cannot be added, the first one to fix first. The server checks the same. */
function obstacleOf(project: Project, domains: number): Obstacle | undefined {
  const { limits, live } = project;
  if (!can(project, 'domain.manage')) return 'role';
  if (limits.customDomains === 0) return 'plan';
  if (live === null) return 'deploy';
  if (limits.customDomains !== null && domains >= limits.customDomains) return 'full';
  return undefined;
}

const LINK = 'rounded-sm font-medium underline underline-offset-3';

/** Explains why there is no button to add a domain, and what to do about it. */
function ObstacleNotice({ obstacle }: { readonly obstacle: Obstacle }) {
  const { slug, plan, limits } = useProject();
  const { isInstallationOwner } = useUser();
  const planLink = (
    <Link to="/projects/$slug/settings/plan" params={{ slug }} className={LINK}>
      Plan
    </Link>
  );
  switch (obstacle) {
    case 'role':
      return <Alert>{REASONS['domain.manage']}</Alert>;
    case 'plan':
      return (
        <Alert tone="warning">
          <p className="font-medium">Custom domains need the plan Pro or above.</p>
          <p>
            This project is on <span className="capitalize">{plan}</span>.{' '}
            {isInstallationOwner ? (
              <>
                You own this installation: switch this project to Pro under {planLink}. Nothing is
                charged.
              </>
            ) : (
              <>Ask the owner of this installation to switch it to Pro. What Pro has: {planLink}.</>
            )}
          </p>
        </Alert>
      );
    case 'deploy':
      return (
        <Alert tone="warning">
          <p className="font-medium">A domain needs a site to show.</p>
          <p>
            Nothing of this project is live yet:{' '}
            <Link to="/projects/$slug" params={{ slug }} className={LINK}>
              deploy a document
            </Link>{' '}
            first, then add the domain here.
          </p>
        </Alert>
      );
    case 'full':
      return (
        <Alert tone="warning">
          <p className="font-medium">
            All {count(limits.customDomains ?? 0, 'domain')} of this plan are in use.
          </p>
          <p>
            Remove one that is no longer needed, or{' '}
            {isInstallationOwner
              ? 'switch this project to a larger plan under '
              : 'ask the owner of this installation for a larger plan. What each has: '}
            {planLink}.
          </p>
        </Alert>
      );
  }
}
