import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  AccountLink,
  ApiToken,
  EmailChange,
  Installation,
  PendingSignIn,
  Session,
  User,
  Visitor,
} from '../../server/src/accounts/account.ts';
import type { Factors, InstallationSecurity } from '../../server/src/accounts/factors/factor.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { BranchPreview } from '../../server/src/deploys/branch-preview.ts';
import type {
  Deploy,
  DeployChanges,
  DeploySummary,
  LogLine,
} from '../../server/src/deploys/deploy.ts';
import type { ChangeException } from '../../server/src/deploys/exceptions/change-exception.ts';
import type { SiteVersion } from '../../server/src/deploys/versions/site-version.ts';
import type { DomainConnectOffer } from '../../server/src/domain-connect/offer.ts';
import type { Domain, DomainEvent, LinkedDomain } from '../../server/src/domains/domain.ts';
import type { DomainMove, DomainTraffic } from '../../server/src/domains/move/domain-move.ts';
import type { Rehearsal } from '../../server/src/domains/rehearsal/rehearsal.ts';
import type { Group, GroupMember, ProjectGroup } from '../../server/src/groups/group.ts';
import type { FirstSteps } from '../../server/src/home/first-steps.ts';
import type { Person, PersonDetails } from '../../server/src/installation/person.ts';
import type { Delivery, DeliverySummary } from '../../server/src/notices/delivery.ts';
import type { Webhook } from '../../server/src/notices/webhook.ts';
import type { Identity, SignInProvider } from '../../server/src/oidc/sign-in.ts';
import type { MovedAddress } from '../../server/src/projects/moved-address.ts';
import type {
  Invitation,
  Member,
  OpenInvitation,
  PlanLimits,
  Project,
} from '../../server/src/projects/project.ts';
import type {
  AccountQuotas,
  ProjectQuotas,
  QuotaDefault,
  QuotaUse,
  RemovableDeploy,
} from '../../server/src/quotas/quota-use.ts';
import type { PeriodName } from '../../server/src/readers/period.ts';
import type {
  ReaderReport,
  ReaderSentence,
  ReaderTable,
  TableName,
} from '../../server/src/readers/reader-report.ts';
import type { Repository } from '../../server/src/repositories/repository.ts';
import type { Page } from '../../server/src/schema-types.ts';
import type { ScimToken } from '../../server/src/scim/token.ts';
import type { SearchResults } from '../../server/src/search/search.ts';
import type { SiteAccess } from '../../server/src/site-access/site-access.ts';
import type { InstallationZone, ZoneCheck } from '../../server/src/zone/zone.ts';
import { hasStatus, path, request } from './api.ts';
import type { AuditFilter } from './audit/audit-filter.ts';
import { domainInterval } from './domains/interval.ts';
import { isAtWork } from './repository/states.ts';

// Every GET that a page sends to the API, with the key of its cache entry. A key begins with what the response is
// about, so that a change can make all that depends on it stale at once.

/** How often work under way is refetched. */
const BUSY_INTERVAL_MS = 2_000;

/** How often deliveries are refetched that wait, for hours perhaps. */
const WAITING_INTERVAL_MS = 5_000;

/** How often a repository is refetched where nothing is under way: a push may arrive. */
const PUSH_INTERVAL_MS = 10_000;

export const keys = {
  installation: ['installation'],
  people: ['people'],
  groups: ['groups'],
  group: (id: string) => ['groups', id],
  scimTokens: ['scim tokens'],
  session: ['session'],
  sessions: ['account', 'sessions'],
  emailChange: ['account', 'email'],
  factors: ['account', 'factors'],
  pendingSignIn: ['pending sign-in'],
  security: ['installation security'],
  identities: ['account', 'identities'],
  signInProviders: ['installation', 'sign-in'],
  accountTokens: ['account', 'tokens'],
  firstSteps: ['account', 'first steps'],
  accountQuotas: ['account', 'quotas'],
  quotas: ['installation quotas'],
  projectQuotas: (slug: string) => ['project', slug, 'quotas'],
  projects: ['projects'],
  project: (slug: string) => ['project', slug],
  deploys: (slug: string) => ['project', slug, 'deploys'],
  deploy: (slug: string, id: string) => ['project', slug, 'deploys', id],
  previews: (slug: string) => ['project', slug, 'previews'],
  siteAccess: (slug: string) => ['project', slug, 'access'],
  versions: (slug: string) => ['project', slug, 'versions'],
  repository: (slug: string) => ['project', slug, 'repository'],
  members: (slug: string) => ['project', slug, 'members'],
  projectGroups: (slug: string) => ['project', slug, 'groups'],
  invitations: (slug: string) => ['project', slug, 'invitations'],
  webhooks: (slug: string) => ['project', slug, 'webhooks'],
  deliveries: (slug: string, id: string) => ['project', slug, 'webhooks', id, 'deliveries'],
  readers: (slug: string) => ['project', slug, 'readers'],
  domains: (slug: string) => ['project', slug, 'domains'],
  domain: (slug: string, hostname: string) => ['project', slug, 'domains', hostname],
  domainEvents: (slug: string, name: string) => ['project', slug, 'domains', name, 'events'],
  rehearsal: (slug: string, name: string) => ['project', slug, 'domains', name, 'rehearsal'],
  domainConnect: (slug: string, name: string) => ['domain connect', slug, name],
  linkedDomain: (secret: string) => ['domain link', secret],
} as const;

const get =
  <T>(where: string) =>
  ({ signal }: { signal: AbortSignal }) =>
    request<T>('GET', where, undefined, signal);

/** A list that arrives as a whole, without the items that no page shows. */
const list = <T>(
  queryKey: readonly string[],
  where: string,
  isShown: (item: T) => boolean = () => true,
) =>
  queryOptions({
    queryKey,
    queryFn: get<Page<T>>(where),
    select: ({ items }) => items.filter(isShown),
  });

/**
 * A list that arrives page by page, as one list of the items so far.
 *
 * @param interval - how often the pages so far are refetched, in milliseconds; false: not at all
 */
const pagedList = <T>(
  queryKey: readonly string[],
  where: string,
  interval: (items: readonly T[]) => number | false = () => false,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      get<Page<T>>(pageParam ? withCursor(where, pageParam) : where)({
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    select: allItemsOf,
    refetchInterval: ({ state }) => interval(state.data ? allItemsOf(state.data) : []),
  });

function withCursor(where: string, cursor: string): string {
  return `${where}${where.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
}

function allItemsOf<T>({ pages }: InfiniteData<Page<T>>): readonly T[] {
  return pages.flatMap(({ items }) => items);
}

/** More often while one of the deploys is under way. */
const deployInterval = (deploys: readonly StatedDeploy[]) =>
  deploys.some(isUnderWay) ? BUSY_INTERVAL_MS : false;

/** Who may read a project's sites. */
export const siteAccessQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.siteAccess(slug),
    queryFn: get<SiteAccess>(path`/projects/${slug}/access`),
  });

/** What readers of a project's site did, in sums. */
export const readersQuery = (slug: string, period: PeriodName) =>
  queryOptions({
    queryKey: [...keys.readers(slug), period],
    queryFn: get<ReaderReport>(`${path`/projects/${slug}/readers`}?period=${period}`),
  });

/** The same by name: of pages, hosts, searches and so on. */
export const readerTableQuery = (slug: string, table: TableName, period: PeriodName) =>
  queryOptions({
    queryKey: [...keys.readers(slug), period, table],
    queryFn: get<ReaderTable>(`${path`/projects/${slug}/readers/${table}`}?period=${period}`),
    select: ({ items }) => items,
  });

/** What readers wrote, the newest first. */
export const sentencesQuery = (slug: string) =>
  pagedList<ReaderSentence>(
    [...keys.readers(slug), 'sentences'],
    path`/projects/${slug}/readers/sentences`,
  );

export const installationQuery = queryOptions({
  queryKey: keys.installation,
  queryFn: get<Installation>('/installation'),
});

/** The installation's accounts whose name or address contains a text. */
export const peopleQuery = (search: string) =>
  pagedList<Person>(
    [...keys.people, search],
    search === ''
      ? '/installation/users'
      : `/installation/users?search=${encodeURIComponent(search)}`,
  );

export const personQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.people, 'one', id],
    queryFn: get<PersonDetails>(path`/installation/users/${id}`),
  });

/** What someone's link is for. It is asked by a body: addresses end up in logs. */
export const accountLinkQuery = (secret: string) =>
  queryOptions({
    queryKey: ['account link', secret],
    queryFn: ({ signal }) =>
      request<AccountLink>('POST', '/account-links/look-up', { secret }, signal),
  });

/** The address that the account is to have. */
export const emailChangeQuery = queryOptions({
  queryKey: keys.emailChange,
  queryFn: get<EmailChange>('/account/email'),
});

export const groupsQuery = pagedList<Group>([...keys.groups, 'list'], '/installation/groups');

export const groupQuery = (id: string) =>
  queryOptions({ queryKey: keys.group(id), queryFn: get<Group>(path`/installation/groups/${id}`) });

export const groupMembersQuery = (id: string) =>
  pagedList<GroupMember>([...keys.group(id), 'members'], path`/installation/groups/${id}/members`);

/** The tokens of directories that may still be used. */
export const scimTokensQuery = list<ScimToken>(
  keys.scimTokens,
  '/installation/scim-tokens',
  ({ revokedAt }) => revokedAt === null,
);

/** Who is signed in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: async ({ signal }): Promise<User | null> =>
    (await get<Visitor>('/visitor')({ signal })).user,
  staleTime: 60_000,
});

/** What is asked of this browser, whose sign-in is under way; null: none is. */
export const pendingSignInQuery = queryOptions({
  queryKey: keys.pendingSignIn,
  queryFn: async ({ signal }): Promise<PendingSignIn | null> =>
    (await get<Visitor>('/visitor')({ signal })).pending,
});

export const factorsQuery = queryOptions({
  queryKey: keys.factors,
  queryFn: get<Factors>('/account/factors'),
});

export const securityQuery = queryOptions({
  queryKey: keys.security,
  queryFn: get<InstallationSecurity>('/installation/security'),
});

/** The providers that the user signs in with. */
export const identitiesQuery = list<Identity>(keys.identities, '/account/identities');

/** The providers of the installation, for its owner. */
export const signInProvidersQuery = list<SignInProvider>(
  keys.signInProviders,
  '/installation/sign-in',
);

export const sessionsQuery = list<Session>(keys.sessions, '/account/sessions');

const isNotRevoked = ({ revokedAt }: ApiToken) => revokedAt === null;

/** Without revoked ones. */
export const accountTokensQuery = list(keys.accountTokens, '/account/tokens', isNotRevoked);

/** Stale at once: each step may have been done on another page. */
export const firstStepsQuery = queryOptions({
  queryKey: keys.firstSteps,
  queryFn: get<FirstSteps>('/account/first-steps'),
  staleTime: 0,
});

/** The same: it is of what was done a moment ago. */
export const activityQuery = {
  ...pagedList<AuditEntry>(['activity'], '/activity'),
  staleTime: 0,
};

/** What is set for everybody and for plans. */
export const quotaDefaultsQuery = list<QuotaDefault>(
  [...keys.quotas, 'defaults'],
  '/installation/quotas',
);

/** Accounts or projects with what they use, those that hold the most first. */
export const quotaHoldersQuery = (
  of: 'accounts' | 'projects',
  search: string,
  onlyExceptions: boolean,
) =>
  pagedList<AccountQuotas | ProjectQuotas>(
    [...keys.quotas, of, search, `${onlyExceptions}`],
    `/installation/quotas/${of}?${new URLSearchParams({
      exceptions: `${onlyExceptions}`,
      ...(search !== '' && { search }),
    })}`,
  );

export const accountQuotasQuery = list<QuotaUse>(keys.accountQuotas, '/account/quotas');

/** What a project uses and may use. `latest`: its newest deploy, each state of which may change that. */
export const projectQuotasQuery = ({ slug, latest }: Pick<Project, 'slug' | 'latest'>) =>
  list<QuotaUse>(
    [...keys.projectQuotas(slug), latest ? `${latest.id} ${latest.state}` : ''],
    path`/projects/${slug}/quotas`,
  );

/** Deploys whose files may be removed, the oldest first. */
export const removableDeploysQuery = (slug: string) =>
  pagedList<RemovableDeploy>(
    [...keys.projectQuotas(slug), 'removable deploys'],
    path`/projects/${slug}/removable-deploys`,
  );

export const projectsQuery = pagedList<Project>(keys.projects, '/projects', (projects) =>
  deployInterval(projects.map(({ latest }) => latest)),
);

export const projectQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.project(slug),
    queryFn: get<Project>(path`/projects/${slug}`),
    refetchInterval: ({ state }) => deployInterval([state.data?.latest]),
  });

/** What of it is found for words; `slug`: a project whose deploys come first. */
export const searchQuery = (words: string, slug: string | undefined) =>
  queryOptions({
    queryKey: ['search', words, slug ?? null],
    queryFn: get<SearchResults>(
      `/search?${new URLSearchParams({ q: words, ...(slug !== undefined && { project: slug }) })}`,
    ),
  });

export const deploysQuery = (slug: string) =>
  pagedList<DeploySummary>(keys.deploys(slug), path`/projects/${slug}/deploys`, deployInterval);

export const deployQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: keys.deploy(slug, id),
    queryFn: get<Deploy>(path`/projects/${slug}/deploys/${id}`),
    refetchInterval: ({ state }) => deployInterval([state.data]),
  });

/** What a finished deploy changes in the API: it stays as it is, but for exceptions, which make it stale. */
export const deployChangesQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: [...keys.deploy(slug, id), 'changes'],
    queryFn: get<DeployChanges>(path`/projects/${slug}/deploys/${id}/changes`),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** `isWhole`: fetched after the deploy's end. Lines that were fetched before may lack the last ones. */
export const deployLogQuery = (slug: string, id: string, isWhole: boolean) =>
  list<LogLine>(
    [...keys.deploy(slug, id), 'log', isWhole ? 'whole' : 'so far'],
    path`/projects/${slug}/deploys/${id}/log`,
  );

/** The addresses that the project had before, and that lead to it. */
export const movedAddressesQuery = (slug: string) =>
  list<MovedAddress>(
    [...keys.project(slug), 'moved addresses'],
    path`/projects/${slug}/moved-addresses`,
  );

export const previewsQuery = (slug: string) =>
  list<BranchPreview>(keys.previews(slug), path`/projects/${slug}/previews`);

export const versionsQuery = (slug: string) =>
  list<SiteVersion>(keys.versions(slug), path`/projects/${slug}/versions`);

/** The changes that owners allow. */
export const exceptionsQuery = (slug: string) =>
  list<ChangeException>(
    [...keys.project(slug), 'exceptions'],
    path`/projects/${slug}/change-exceptions`,
  );

/** The repository that a project is deployed from; null: none. Refetched in time to show a push. */
export const repositoryQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.repository(slug),
    queryFn: async ({ signal }): Promise<Repository | null> => {
      try {
        return await get<Repository>(path`/projects/${slug}/repository`)({ signal });
      } catch (error) {
        if (hasStatus(error, 404)) return null;
        throw error;
      }
    },
    refetchInterval: ({ state: { data } }) => {
      if (!data) return false;
      const states = [data.state, ...data.branches.map(({ state }) => state)];
      return states.some(isAtWork) ? BUSY_INTERVAL_MS : PUSH_INTERVAL_MS;
    },
  });

export const membersQuery = (slug: string) =>
  list<Member>(keys.members(slug), path`/projects/${slug}/members`);

/** The groups with a role in a project. */
export const projectGroupsQuery = (slug: string) =>
  list<ProjectGroup>(keys.projectGroups(slug), path`/projects/${slug}/groups`);

/** The groups that can be given a role in a project. */
export const groupChoicesQuery = (slug: string) =>
  list<ProjectGroup>(
    [...keys.projectGroups(slug), 'choices'],
    path`/projects/${slug}/groups/choices`,
  );

/** The invitations that nobody has accepted yet. */
export const invitationsQuery = (slug: string) =>
  list<Invitation>(
    keys.invitations(slug),
    path`/projects/${slug}/invitations`,
    ({ state }) => state === 'open',
  );

export const tokensQuery = (slug: string) =>
  list([...keys.project(slug), 'tokens'], path`/projects/${slug}/tokens`, isNotRevoked);

export const webhooksQuery = (slug: string) =>
  list<Webhook>(keys.webhooks(slug), path`/projects/${slug}/webhooks`);

/** Refetched while one waits: it may be delivered at any moment. */
export const deliveriesQuery = (slug: string, id: string) =>
  pagedList<DeliverySummary>(
    keys.deliveries(slug, id),
    path`/projects/${slug}/webhooks/${id}/deliveries`,
    (deliveries) => deliveries.some(({ state }) => state === 'waiting') && WAITING_INTERVAL_MS,
  );

export const deliveryQuery = (slug: string, webhookId: string, id: string) =>
  queryOptions({
    queryKey: [...keys.deliveries(slug, webhookId), id],
    queryFn: get<Delivery>(path`/projects/${slug}/webhooks/${webhookId}/deliveries/${id}`),
    refetchInterval: ({ state }) => state.data?.state === 'waiting' && WAITING_INTERVAL_MS,
  });

/** The latest rehearsal of a domain's move; null: there was none. Rejects with a 404 where there is no such domain. */
export const rehearsalQuery = (slug: string, hostname: string) =>
  queryOptions({
    queryKey: keys.rehearsal(slug, hostname),
    queryFn: async ({ signal }): Promise<Rehearsal | null> => {
      const domain = path`/projects/${slug}/domains/${hostname}`;
      try {
        return await get<Rehearsal>(`${domain}/rehearsals/latest`)({ signal });
      } catch (error) {
        if (!hasStatus(error, 404)) throw error;
        await get<Domain>(domain)({ signal });
        return null;
      }
    },
    refetchInterval: ({ state }) => state.data?.finishedAt === null && BUSY_INTERVAL_MS,
  });

export const plansQuery = queryOptions({
  ...list<PlanLimits>(['plans'], '/plans'),
  staleTime: 600_000,
});

/** The zone of the installation, and whether it is delegated: that asks name servers, so only when someone looks. */
export const zoneQuery = queryOptions({
  queryKey: ['zone'],
  queryFn: get<InstallationZone>('/zone'),
  refetchInterval: WAITING_INTERVAL_MS,
});
export const zoneCheckQuery = queryOptions({
  queryKey: ['zone', 'check'],
  queryFn: get<ZoneCheck>('/zone/check'),
});

/** The audit log of a project, or of the whole installation without one, as far as a filter leaves it. */
export const auditQuery = (slug: string | undefined, filter: AuditFilter) => {
  const query = new URLSearchParams(filter).toString();
  return slug === undefined
    ? pagedList<AuditEntry>(['audit', query], `/audit?${query}`)
    : pagedList<AuditEntry>(
        [...keys.project(slug), 'audit', query],
        `${path`/projects/${slug}/audit`}?${query}`,
      );
};

export const invitationQuery = (secret: string) =>
  queryOptions({
    queryKey: ['invitation', secret],
    queryFn: get<OpenInvitation>(path`/invitations/${secret}`),
  });

export const domainsQuery = (slug: string) =>
  pagedList<Domain>(keys.domains(slug), path`/projects/${slug}/domains`, domainInterval);

export const domainQuery = (slug: string, hostname: string) =>
  queryOptions({
    queryKey: keys.domain(slug, hostname),
    queryFn: get<Domain>(path`/projects/${slug}/domains/${hostname}`),
    refetchInterval: ({ state }) => domainInterval(state.data ? [state.data] : []),
  });

/** Asked once for each visit: it has a server look up others. */
export const domainConnectQuery = (slug: string, hostname: string) =>
  queryOptions({
    queryKey: keys.domainConnect(slug, hostname),
    queryFn: get<DomainConnectOffer>(path`/projects/${slug}/domains/${hostname}/domain-connect`),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** Refetched whenever the domain has changed, by the page that shows both. */
export const domainEventsQuery = (slug: string, hostname: string) =>
  pagedList<DomainEvent>(
    keys.domainEvents(slug, hostname),
    path`/projects/${slug}/domains/${hostname}/events`,
  );

/** How often a move is looked at: all who watch it share a look for as long. */
const MOVE_INTERVAL_MS = 5_000;

/** Watched until it is done. */
export const domainMoveQuery = (slug: string, hostname: string) =>
  queryOptions({
    queryKey: [...keys.domain(slug, hostname), 'move'],
    queryFn: get<DomainMove>(path`/projects/${slug}/domains/${hostname}/move`),
    refetchInterval: ({ state }) => state.data?.state !== 'done' && MOVE_INTERVAL_MS,
  });

export const domainTrafficQuery = (slug: string, hostname: string) =>
  queryOptions({
    queryKey: [...keys.domain(slug, hostname), 'traffic'],
    queryFn: get<DomainTraffic>(path`/projects/${slug}/domains/${hostname}/traffic`),
    refetchInterval: WAITING_INTERVAL_MS,
  });

/** For people with the link, without signing in. */
export const linkedDomainQuery = (secret: string) =>
  queryOptions({
    queryKey: keys.linkedDomain(secret),
    queryFn: get<LinkedDomain>(path`/domain-links/${secret}`),
    refetchInterval: ({ state }) => domainInterval(state.data ? [state.data] : []),
  });

type StatedDeploy = Pick<DeploySummary, 'state'> | null | undefined;

/** Whether a deploy has not ended yet. */
export function isUnderWay(deploy: StatedDeploy): boolean {
  return deploy?.state === 'queued' || deploy?.state === 'building';
}
