import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  ApiToken,
  Installation,
  Session,
  User,
  Visitor,
} from '../../server/src/accounts/account.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { Deploy, DeploySummary, LogLine } from '../../server/src/deploys/deploy.ts';
import type { Domain, DomainEvent, LinkedDomain } from '../../server/src/domains/domain.ts';
import type { Webhook } from '../../server/src/notices/webhook.ts';
import type {
  Invitation,
  Member,
  OpenInvitation,
  PlanLimits,
  Project,
} from '../../server/src/projects/project.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { path, request } from './api.ts';
import { domainInterval } from './domains/interval.ts';

// Every question to the API that a page asks, with the key under which its answer is kept. Keys begin with
// what they are about, so that a change can make all that depends on it stale at once.

/** How often what is under way is asked after. */
const BUSY_INTERVAL_MS = 2_000;

export const keys = {
  installation: ['installation'],
  session: ['session'],
  sessions: ['account', 'sessions'],
  accountTokens: ['account', 'tokens'],
  projects: ['projects'],
  project: (slug: string) => ['project', slug],
  deploys: (slug: string) => ['project', slug, 'deploys'],
  deploy: (slug: string, id: string) => ['project', slug, 'deploys', id],
  deployLog: (slug: string, id: string, isWhole: boolean) => [
    'project',
    slug,
    'deploys',
    id,
    'log',
    isWhole ? 'whole' : 'so far',
  ],
  members: (slug: string) => ['project', slug, 'members'],
  invitations: (slug: string) => ['project', slug, 'invitations'],
  tokens: (slug: string) => ['project', slug, 'tokens'],
  webhooks: (slug: string) => ['project', slug, 'webhooks'],
  audit: (slug: string) => ['project', slug, 'audit'],
  domains: (slug: string) => ['project', slug, 'domains'],
  domain: (slug: string, hostname: string) => ['project', slug, 'domains', hostname],
  domainEvents: (slug: string, hostname: string) => [
    'project',
    slug,
    'domains',
    hostname,
    'events',
  ],
  linkedDomain: (secret: string) => ['domain link', secret],
} as const;

const get =
  <T>(where: string) =>
  ({ signal }: { signal: AbortSignal }) =>
    request<T>('GET', where, undefined, signal);

export const installationQuery = queryOptions({
  queryKey: keys.installation,
  queryFn: get<Installation>('/installation'),
});

/** Who is signed in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: async ({ signal }): Promise<User | null> =>
    (await request<Visitor>('GET', '/visitor', undefined, signal)).user,
  staleTime: 60_000,
});

export const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: get<Page<Session>>('/account/sessions'),
});

export const accountTokensQuery = queryOptions({
  queryKey: keys.accountTokens,
  queryFn: get<Page<ApiToken>>('/account/tokens'),
});

export const projectsQuery = infiniteQueryOptions({
  queryKey: keys.projects,
  queryFn: ({ pageParam, signal }) =>
    request<Page<Project>>('GET', `/projects${cursor(pageParam)}`, undefined, signal),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
  refetchInterval: ({ state }) =>
    state.data?.pages.some(({ items }) => items.some((project) => isUnderWay(project.latest)))
      ? BUSY_INTERVAL_MS
      : false,
});

export const projectQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.project(slug),
    queryFn: get<Project>(path`/projects/${slug}`),
    refetchInterval: ({ state }) => (isUnderWay(state.data?.latest) ? BUSY_INTERVAL_MS : false),
  });

export const deploysQuery = (slug: string) =>
  infiniteQueryOptions({
    queryKey: keys.deploys(slug),
    queryFn: ({ pageParam, signal }) =>
      request<Page<DeploySummary>>(
        'GET',
        path`/projects/${slug}/deploys` + cursor(pageParam),
        undefined,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isUnderWay)) ? BUSY_INTERVAL_MS : false,
  });

export const deployQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: keys.deploy(slug, id),
    queryFn: get<Deploy>(path`/projects/${slug}/deploys/${id}`),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? BUSY_INTERVAL_MS : false),
  });

/** `isWhole`: asked for after the deploy's end; what was there before may lack the last lines. */
export const deployLogQuery = (slug: string, id: string, isWhole: boolean) =>
  queryOptions({
    queryKey: keys.deployLog(slug, id, isWhole),
    queryFn: get<Page<LogLine>>(path`/projects/${slug}/deploys/${id}/log`),
  });

export const membersQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.members(slug),
    queryFn: get<Page<Member>>(path`/projects/${slug}/members`),
  });

export const invitationsQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.invitations(slug),
    queryFn: get<Page<Invitation>>(path`/projects/${slug}/invitations`),
  });

export const tokensQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.tokens(slug),
    queryFn: get<Page<ApiToken>>(path`/projects/${slug}/tokens`),
  });

export const webhooksQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.webhooks(slug),
    queryFn: get<Page<Webhook>>(path`/projects/${slug}/webhooks`),
  });

export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: get<Page<PlanLimits>>('/plans'),
  staleTime: 600_000,
});

/** The audit log of a project, or of the whole installation without one. */
export const auditQuery = (slug?: string) =>
  infiniteQueryOptions({
    queryKey: slug === undefined ? ['audit'] : keys.audit(slug),
    queryFn: ({ pageParam, signal }) =>
      request<Page<AuditEntry>>(
        'GET',
        (slug === undefined ? '/audit' : path`/projects/${slug}/audit`) + cursor(pageParam),
        undefined,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });

export const invitationQuery = (secret: string) =>
  queryOptions({
    queryKey: ['invitation', secret],
    queryFn: get<OpenInvitation>(path`/invitations/${secret}`),
  });

export const domainsQuery = (slug: string) =>
  infiniteQueryOptions({
    queryKey: keys.domains(slug),
    queryFn: ({ pageParam, signal }) =>
      request<Page<Domain>>(
        'GET',
        path`/projects/${slug}/domains` + cursor(pageParam),
        undefined,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: ({ state }) =>
      domainInterval(state.data?.pages.flatMap(({ items }) => items) ?? []),
  });

export const domainQuery = (slug: string, hostname: string) =>
  queryOptions({
    queryKey: keys.domain(slug, hostname),
    queryFn: get<Domain>(path`/projects/${slug}/domains/${hostname}`),
    refetchInterval: ({ state }) => domainInterval(state.data ? [state.data] : []),
  });

/** Asked anew whenever the domain has changed, by the page that shows both. */
export const domainEventsQuery = (slug: string, hostname: string) =>
  infiniteQueryOptions({
    queryKey: keys.domainEvents(slug, hostname),
    queryFn: ({ pageParam, signal }) =>
      request<Page<DomainEvent>>(
        'GET',
        path`/projects/${slug}/domains/${hostname}/events` + cursor(pageParam),
        undefined,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });

/** For whoever has the link, without signing in. */
export const linkedDomainQuery = (secret: string) =>
  queryOptions({
    queryKey: keys.linkedDomain(secret),
    queryFn: get<LinkedDomain>(path`/domain-links/${secret}`),
    refetchInterval: ({ state }) => domainInterval(state.data ? [state.data] : []),
  });

/** Whether a deploy has not come to its end yet. */
export function isUnderWay(deploy: Pick<DeploySummary, 'state'> | null | undefined): boolean {
  return deploy?.state === 'queued' || deploy?.state === 'building';
}

function cursor(value: string | null): string {
  return value === null ? '' : `?cursor=${encodeURIComponent(value)}`;
}
