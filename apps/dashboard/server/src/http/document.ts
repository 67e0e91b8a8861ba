import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import {
  AccountLink,
  ApiToken,
  CreatedToken,
  EmailChange,
  Installation,
  PasswordLink,
  PendingSignIn,
  Session,
  User,
  Visitor,
} from '../accounts/account.ts';
import {
  AddedFactor,
  AuthenticatorAppDraft,
  Confirmation,
  Factors,
  InstallationSecurity,
  Passkey,
  RecoveryCodes,
  SetUpAndSignedIn,
} from '../accounts/factors/factor.ts';
import { PasskeyOptions } from '../accounts/factors/passkey-response.ts';
import { AuditEntry } from '../audit/audit-entry.ts';
import { BranchPreview } from '../deploys/branch-preview.ts';
import { Deploy, DeployChanges, DeploySummary, LogLine } from '../deploys/deploy.ts';
import { ChangeException } from '../deploys/exceptions/change-exception.ts';
import { SiteVersion } from '../deploys/versions/site-version.ts';
import { DomainConnectOffer } from '../domain-connect/offer.ts';
import { Certificate, Domain, DomainEvent, Issuance, LinkedDomain } from '../domains/domain.ts';
import { DomainMove, DomainTraffic } from '../domains/move/domain-move.ts';
import { Rehearsal } from '../domains/rehearsal/rehearsal.ts';
import { Simulation } from '../domains/simulation/simulation.ts';
import { DnsRecord, Verdict } from '../domains/verdict.ts';
import { Group, GroupMember, ProjectGroup } from '../groups/group.ts';
import { FirstSteps } from '../home/first-steps.ts';
import { EndedAccess, Person, PersonDetails, UsedToken } from '../installation/person.ts';
import { Delivery, DeliverySummary } from '../notices/delivery.ts';
import { CreatedWebhook, Webhook } from '../notices/webhook.ts';
import { Identity, OpenLink, SignedOut, SignInProvider, SignInStart } from '../oidc/sign-in.ts';
import { MovedAddress } from '../projects/moved-address.ts';
import {
  CreatedInvitation,
  Invitation,
  Member,
  OpenInvitation,
  PlanLimits,
  Project,
} from '../projects/project.ts';
import {
  AccountQuotas,
  ProjectQuotas,
  QuotaDefault,
  QuotaState,
  QuotaUse,
  RemovableDeploy,
} from '../quotas/quota-use.ts';
import { ReaderReport, ReaderSentence, ReaderTable } from '../readers/reader-report.ts';
import {
  Repository,
  RepositoryBranch,
  RepositoryWebhookSecret,
} from '../repositories/repository.ts';
import { ErrorBody } from '../schema-types.ts';
import { CreatedScimToken, ScimToken } from '../scim/token.ts';
import { SearchResults } from '../search/search.ts';
import { EndedSiteSessions, SiteAccess, SiteKey, SiteTicket } from '../site-access/site-access.ts';
import { InstallationZone, ZoneCheck } from '../zone/zone.ts';
import { type RouteAccess, scopeOf } from './access.ts';
import { lazyCompilers } from './lazy-compilers.ts';
import { ERROR_RESPONSES, MOVED_RESPONSE } from './routes.ts';

/** What the document names; a schema comes after those that it refers to. */
export const SCHEMAS = [
  ErrorBody,
  Installation,
  User,
  PendingSignIn,
  Visitor,
  PasskeyOptions,
  Passkey,
  Factors,
  AddedFactor,
  SetUpAndSignedIn,
  RecoveryCodes,
  AuthenticatorAppDraft,
  Confirmation,
  InstallationSecurity,
  Person,
  Group,
  GroupMember,
  ProjectGroup,
  ScimToken,
  CreatedScimToken,
  UsedToken,
  PersonDetails,
  EndedAccess,
  Session,
  EmailChange,
  AccountLink,
  PasswordLink,
  SignInStart,
  OpenLink,
  SignedOut,
  Identity,
  SignInProvider,
  ApiToken,
  CreatedToken,
  DeploySummary,
  BranchPreview,
  SiteVersion,
  EndedSiteSessions,
  SiteKey,
  SiteAccess,
  SiteTicket,
  ChangeException,
  Deploy,
  DeployChanges,
  LogLine,
  PlanLimits,
  QuotaUse,
  QuotaDefault,
  QuotaState,
  AccountQuotas,
  ProjectQuotas,
  RemovableDeploy,
  Project,
  MovedAddress,
  SearchResults,
  FirstSteps,
  Member,
  Invitation,
  CreatedInvitation,
  OpenInvitation,
  AuditEntry,
  ReaderReport,
  ReaderTable,
  ReaderSentence,
  InstallationZone,
  ZoneCheck,
  DnsRecord,
  Verdict,
  Certificate,
  Issuance,
  Domain,
  LinkedDomain,
  DomainConnectOffer,
  DomainEvent,
  DomainTraffic,
  DomainMove,
  Rehearsal,
  Simulation,
  Webhook,
  CreatedWebhook,
  DeliverySummary,
  Delivery,
  RepositoryBranch,
  Repository,
  RepositoryWebhookSecret,
];

/**
 * Which credentials an operation takes, by who may call it. The scope of a token does not stand in
 * `security`: there OpenAPI has scopes for OAuth alone.
 */
function securityOf(access: RouteAccess | undefined) {
  if (!access || access === 'public') return { security: [] };
  const session = { session: [] };
  const scope = scopeOf(access);
  if (scope === null) return { security: [session] };
  return { security: [{ token: [] }, session], 'x-required-scopes': [scope] };
}

/**
 * Watches the routes that are added from here on. The function it returns makes their document, for an app that has
 * nothing else and whose sessions have a cookie of this name. The generator is loaded with the first request for the
 * document.
 */
export function collectDocument(
  app: FastifyInstance,
  version: string,
): (sessionCookie: string) => Promise<object> {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', ({ url, method, schema = {}, config = {} }) => {
    if (url.startsWith('/api/') && !schema.hide)
      routes.push({ url, method, schema, config, handler: () => undefined });
  });
  const documents = new Map<string, Promise<object>>();
  return (sessionCookie) => {
    const document = documents.get(sessionCookie) ?? describe(routes, { version, sessionCookie });
    documents.set(sessionCookie, document);
    return document;
  };
}

interface Described {
  readonly version: string;
  readonly sessionCookie: string;
}

async function describe(routes: readonly RouteOptions[], described: Described): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger');
  // Nothing is asked of it, so nothing is compiled.
  const app = Fastify({
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: lazyCompilers },
  });
  for (const schema of SCHEMAS) app.addSchema(schema);
  await app.register(swagger, documentOptions(described));
  for (const route of routes) app.route(route);
  await app.ready();
  return app.swagger();
}

function documentOptions({ version, sessionCookie }: Described): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Dashboard',
        version,
        description:
          'Hosts API documentation: projects, deploys, members. Programs send an API token; browsers have a session.',
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'cookie', name: sessionCookie },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const mayMove = route.method === 'GET' && url.startsWith('/api/projects/:slug');
      const response = {
        ...(schema?.response as object),
        ...(mayMove && MOVED_RESPONSE),
        ...ERROR_RESPONSES,
      };
      return { schema: { ...schema, ...securityOf(route.config?.access), response }, url };
    },
    refResolver: {
      buildLocalReference: (schema, _baseUri, _fragment, index) =>
        `${schema.$id ?? `schema-${index}`}`,
    },
  };
}
