import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@petstore/service/schema-builders.ts';
import type { Deps } from '../deps.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { numericPosition, PageQuery, readPage } from '../http/pagination.ts';
import { jsonResponse, NO_CONTENT, pageResponse } from '../http/responses.ts';
import { SlugParams } from '../projects/project-routes.ts';
import { type DomainEventRow, listDomainEvents } from '../store/domain-events.ts';
import { listDomains } from '../store/domains.ts';
import { Domain, DomainChange, DomainEvent, NewDomain } from './domain.ts';
import {
  addDomain,
  changeHsts,
  domainOrThrow,
  makePrimary,
  removeDomain,
  renewLink,
} from './domains.ts';
import { presentDomain } from './present-domain.ts';
import { verifyDomain } from './verify-domain.ts';

const tags = ['Domains'];
const DomainParams = Type.Object({ ...SlugParams.properties, hostname: Type.String() });

/** The host names of a project. */
export const domainRoutes: FastifyPluginCallbackTypebox<{ deps: Deps }> = (app, { deps }, done) => {
  app.get(
    '/projects/:slug/domains',
    {
      config: { access: 'domain.read' },
      schema: {
        tags,
        operationId: 'listDomains',
        summary: 'List domains',
        params: SlugParams,
        querystring: PageQuery,
        response: pageResponse(Domain),
      },
    },
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
    {
      config: { access: 'domain.manage' },
      schema: {
        tags,
        operationId: 'addDomain',
        summary: 'Add a domain',
        description:
          'Its `records` are to be created in the DNS. They are looked for by themselves from now on, and whenever `verify` is called.',
        params: SlugParams,
        body: NewDomain,
        response: jsonResponse(201, Domain),
      },
    },
    async (request, reply) => {
      const { project } = accessOf(request);
      const { actor } = callerOf(request);
      const domain = await addDomain(deps, project, request.body.hostname, actor);
      reply.code(201);
      reply.header('location', `/api/projects/${project.slug}/domains/${domain.hostname}`);
      return presentDomain(deps, domain, accessOf(request));
    },
  );

  app.get(
    '/projects/:slug/domains/:hostname',
    {
      config: { access: 'domain.read' },
      schema: {
        tags,
        operationId: 'getDomain',
        summary: 'Get a domain',
        params: DomainParams,
        response: jsonResponse(200, Domain),
      },
    },
    async (request) => {
      const { project } = accessOf(request);
      const domain = await domainOrThrow(deps.db, project, request.params.hostname);
      return presentDomain(deps, domain, accessOf(request));
    },
  );

  app.patch(
    '/projects/:slug/domains/:hostname',
    {
      config: { access: 'domain.manage' },
      schema: {
        tags,
        operationId: 'updateDomain',
        summary: 'Switch Strict-Transport-Security on or off',
        description:
          'Browsers that have seen it refuse to come without a valid certificate until `maxAgeSeconds` are over, also after it was switched off.',
        params: DomainParams,
        body: DomainChange,
        response: jsonResponse(200, Domain),
      },
    },
    async (request) => {
      const { project } = accessOf(request);
      const domain = await domainOrThrow(deps.db, project, request.params.hostname);
      const changed = await changeHsts(deps, domain, request.body, callerOf(request).actor);
      return presentDomain(deps, changed, accessOf(request));
    },
  );

  app.delete(
    '/projects/:slug/domains/:hostname',
    {
      config: { access: 'domain.manage' },
      schema: {
        tags,
        operationId: 'removeDomain',
        summary: 'Remove a domain',
        description:
          'It serves nothing from this moment on, also not on connections that are open. The name stays reserved for the project while its DNS leads here.',
        params: DomainParams,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      const { project } = accessOf(request);
      const domain = await domainOrThrow(deps.db, project, request.params.hostname);
      await removeDomain(deps, domain, callerOf(request).actor);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/projects/:slug/domains/:hostname/verify',
    {
      config: { access: 'domain.verify' },
      schema: {
        tags,
        operationId: 'verifyDomain',
        summary: 'Look at the DNS now',
        description: 'Ends with a verdict. Calls at the same time are one; too many are a 429.',
        params: DomainParams,
        response: jsonResponse(200, Domain),
      },
    },
    async (request) => {
      const { project } = accessOf(request);
      const domain = await domainOrThrow(deps.db, project, request.params.hostname);
      const changed = await verifyDomain(deps, domain, callerOf(request).actor);
      return presentDomain(deps, changed, accessOf(request));
    },
  );

  app.post(
    '/projects/:slug/domains/:hostname/primary',
    {
      config: { access: 'domain.manage' },
      schema: {
        tags,
        operationId: 'makeDomainPrimary',
        summary: 'Make a domain the primary one',
        description: "The project's other domains answer 301 to it once it has a certificate.",
        params: DomainParams,
        response: jsonResponse(200, Domain),
      },
    },
    async (request) => {
      const { project } = accessOf(request);
      const domain = await domainOrThrow(deps.db, project, request.params.hostname);
      const changed = await makePrimary(deps, domain, callerOf(request).actor);
      return presentDomain(deps, changed, accessOf(request));
    },
  );

  app.post(
    '/projects/:slug/domains/:hostname/link',
    {
      config: { access: 'domain.manage' },
      schema: {
        tags,
        operationId: 'renewDomainLink',
        summary: 'Make a new link',
        description: 'The link before it shows nothing any more.',
        params: DomainParams,
        response: jsonResponse(200, Domain),
      },
    },
    async (request) => {
      const { project } = accessOf(request);
      const domain = await domainOrThrow(deps.db, project, request.params.hostname);
      const changed = await renewLink(deps, domain, callerOf(request).actor);
      return presentDomain(deps, changed, accessOf(request));
    },
  );

  app.get(
    '/projects/:slug/domains/:hostname/events',
    {
      config: { access: 'domain.read' },
      schema: {
        tags,
        operationId: 'listDomainEvents',
        summary: 'What happened to a domain',
        params: DomainParams,
        querystring: PageQuery,
        response: pageResponse(DomainEvent),
      },
    },
    async (request) => {
      const { project } = accessOf(request);
      const { id } = await domainOrThrow(deps.db, project, request.params.hostname);
      return readPage(
        request.query,
        (after, limit) => listDomainEvents(deps.db, id, { before: numericPosition(after), limit }),
        (event) => event.id,
        presentEvent,
      );
    },
  );

  done();
};

function presentEvent({ id, at, kind, message, details }: DomainEventRow): DomainEvent {
  return {
    id: Number(id),
    at: new Date(at).toISOString(),
    kind: kind as DomainEvent['kind'],
    message,
    details: JSON.parse(details),
  };
}
