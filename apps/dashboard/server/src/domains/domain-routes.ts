import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import type { Deps } from '../deps.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { numericPosition, PageQuery, readPage } from '../http/pagination.ts';
import {
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  SlugParams,
} from '../http/routes.ts';
import { instant } from '../schema-types.ts';
import { type DomainEventRow, listDomainEvents } from '../store/domain-events.ts';
import { type DomainRow, listDomains } from '../store/domains.ts';
import { Domain, DomainChange, DomainEvent, NewDomain } from './domain.ts';
import { addDomain, changeDomain, domainOrThrow, removeDomain, renewLink } from './domains.ts';
import { presentDomain } from './present-domain.ts';
import { makePrimary } from './primary.ts';
import { verifyDomain } from './verify-domain.ts';

const operation = operationsOf('Domains');
const DomainParams = Type.Object({ ...SlugParams.properties, hostname: Type.String() });

/** The host names of a project. */
export const domainRoutes: Routes = async (app, { deps }) => {
  type DomainRequest = FastifyRequest & { params: Static<typeof DomainParams> };
  const domainOf = (request: DomainRequest) =>
    domainOrThrow(deps.db, accessOf(request).project, request.params.hostname);

  /** Does something to the domain in the path, and responds with the changed domain. */
  const change = async (
    request: DomainRequest,
    work: (deps: Deps, domain: DomainRow, caller: Caller) => Promise<DomainRow>,
  ) => {
    const changed = await work(deps, await domainOf(request), callerOf(request));
    return presentDomain(deps, changed, accessOf(request));
  };

  app.get(
    '/projects/:slug/domains',
    operation('domain.read', 'listDomains', 'List domains', {
      params: SlugParams,
      querystring: PageQuery,
      response: pageResponse(Domain),
    }),
    async (request) => {
      const access = accessOf(request);
      const { project } = access;
      return readPage(
        request.query,
        (after, limit) => listDomains(deps.db, project.id, { after, limit }),
        ({ hostname }) => hostname,
        (domain) => presentDomain(deps, domain, access),
      );
    },
  );

  app.post(
    '/projects/:slug/domains',
    operation('domain.manage', 'addDomain', 'Add a domain', {
      description:
        'Its `records` are to be created in the DNS. They are looked for by themselves from now on, and whenever `verify` is called.',
      params: SlugParams,
      body: NewDomain,
      response: jsonResponse(201, Domain),
    }),
    async (request, reply) => {
      const { project } = accessOf(request);
      const domain = await addDomain(deps, project, request.body, callerOf(request));
      const location = `/api/projects/${project.slug}/domains/${domain.hostname}`;
      reply.header('location', location);
      return presentDomain(deps, domain, accessOf(request));
    },
  );

  app.get(
    '/projects/:slug/domains/:hostname',
    operation('domain.read', 'getDomain', 'Get a domain', {
      params: DomainParams,
      response: jsonResponse(200, Domain),
    }),
    async (request) => presentDomain(deps, await domainOf(request), accessOf(request)),
  );

  app.patch(
    '/projects/:slug/domains/:hostname',
    operation('domain.manage', 'updateDomain', 'Change a domain', {
      description:
        '`hsts` switches Strict-Transport-Security on or off: browsers that have seen it refuse to come without a valid certificate until `maxAgeSeconds` are over, also after it was switched off. `prepare` changes the records that the domain needs; without it, a domain that does not lead here yet is unverified again.',
      params: DomainParams,
      body: DomainChange,
      response: jsonResponse(200, Domain),
    }),
    async (request) =>
      change(request, (_, domain, caller) => changeDomain(deps, domain, request.body, caller)),
  );

  app.delete(
    '/projects/:slug/domains/:hostname',
    operation('domain.manage', 'removeDomain', 'Remove a domain', {
      description:
        'It serves nothing from this moment on, also not on connections that are open. The name stays reserved for the project while its DNS leads here.',
      params: DomainParams,
      response: NO_CONTENT,
    }),
    async (request) => removeDomain(deps, await domainOf(request), callerOf(request)),
  );

  app.post(
    '/projects/:slug/domains/:hostname/verify',
    operation('domain.verify', 'verifyDomain', 'Look at the DNS now', {
      description: 'Ends with a verdict. Calls at the same time are one; too many are a 429.',
      params: DomainParams,
      response: jsonResponse(200, Domain),
    }),
    async (request) => change(request, (_, domain, { actor }) => verifyDomain(deps, domain, actor)),
  );

  app.post(
    '/projects/:slug/domains/:hostname/primary',
    operation('domain.manage', 'makeDomainPrimary', 'Make a domain the primary one', {
      description: "The project's other domains redirect to it (301) once it has a certificate.",
      params: DomainParams,
      response: jsonResponse(200, Domain),
    }),
    async (request) => change(request, makePrimary),
  );

  app.post(
    '/projects/:slug/domains/:hostname/link',
    operation('domain.manage', 'renewDomainLink', 'Make a new link', {
      description: 'The link before it shows nothing any more.',
      params: DomainParams,
      response: jsonResponse(200, Domain),
    }),
    async (request) => change(request, renewLink),
  );

  app.get(
    '/projects/:slug/domains/:hostname/events',
    operation('domain.read', 'listDomainEvents', 'What happened to a domain', {
      params: DomainParams,
      querystring: PageQuery,
      response: pageResponse(DomainEvent),
    }),
    async (request) => {
      const { id } = await domainOf(request);
      return readPage(
        request.query,
        (after, limit) => listDomainEvents(deps.db, id, { before: numericPosition(after), limit }),
        (event) => event.id,
        presentEvent,
      );
    },
  );
};

function presentEvent({ id, at, kind, message, details }: DomainEventRow): DomainEvent {
  return {
    id,
    at: instant(at),
    kind: kind as DomainEvent['kind'],
    message,
    details: JSON.parse(details),
  };
}
