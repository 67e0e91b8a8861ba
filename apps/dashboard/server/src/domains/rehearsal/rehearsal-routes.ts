import { Type } from '@petstore/service/schema-builders.ts';
import { notFound } from '../../api-error.ts';
import { accessOf, callerOf } from '../../http/access.ts';
import { jsonResponse, operationsOf, type Routes, SlugParams } from '../../http/routes.ts';
import { findRehearsal } from '../../store/rehearsals.ts';
import { domainOrThrow } from '../domains.ts';
import { Rehearsal } from './rehearsal.ts';
import { presentRehearsal, startRehearsal } from './rehearsals.ts';

const operation = operationsOf('Domains');
const DomainParams = Type.Object({ ...SlugParams.properties, hostname: Type.String() });

/** Rehearsals of the move of a domain: each has the latest one. */
export const rehearsalRoutes: Routes = async (app, { deps }) => {
  app.post(
    '/projects/:slug/domains/:hostname/rehearsals',
    operation('domain.manage', 'startRehearsal', 'Rehearse the move of a domain', {
      description:
        'Compares the site that is at the name today with what will be there, and looks at all that a move changes. It fetches at most 500 addresses, takes up to a few minutes, and replaces the rehearsal before. The record at `_acme-challenge.` has to be there.',
      params: DomainParams,
      response: jsonResponse(202, Rehearsal, 'It has begun.'),
    }),
    async (request, reply) => {
      const { project } = accessOf(request);
      const domain = await domainOrThrow(deps.db, project, request.params.hostname);
      const rehearsal = await startRehearsal(deps, domain, callerOf(request));
      const path = `/api/projects/${project.slug}/domains/${domain.hostname}/rehearsals/latest`;
      reply.header('location', path);
      return presentRehearsal(rehearsal);
    },
  );

  app.get(
    '/projects/:slug/domains/:hostname/rehearsals/latest',
    operation('domain.read', 'getLatestRehearsal', 'Get the latest rehearsal', {
      params: DomainParams,
      response: jsonResponse(200, Rehearsal),
    }),
    async (request) => {
      const { project } = accessOf(request);
      const { id } = await domainOrThrow(deps.db, project, request.params.hostname);
      const rehearsal = await findRehearsal(deps.db, id);
      if (!rehearsal) throw notFound('rehearsal');
      return presentRehearsal(rehearsal);
    },
  );
};
