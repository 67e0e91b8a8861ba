import { Type } from '@petstore/service/schema-builders.ts';
import { accessOf } from '../../http/access.ts';
import { jsonResponse, operationsOf, type Routes, SlugParams } from '../../http/routes.ts';
import { domainOrThrow } from '../domains.ts';
import { DomainMove, DomainTraffic } from './domain-move.ts';
import { trafficOf } from './traffic.ts';
import { watchMove } from './watch-move.ts';

const operation = operationsOf('Domains');
const DomainParams = Type.Object({ ...SlugParams.properties, hostname: Type.String() });

/** The move of a domain to this installation, and away from it. */
export const domainMoveRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/projects/:slug/domains/:hostname/move',
    operation('domain.read', 'watchDomainMove', 'Watch the move of a domain', {
      description:
        'Asks every name server of the zone, the configured resolvers, and the addresses that they give. All who ask within five seconds see the same.',
      params: DomainParams,
      response: jsonResponse(200, DomainMove),
    }),
    async (request) => {
      const { project } = accessOf(request);
      return watchMove(deps, await domainOrThrow(deps.db, project, request.params.hostname));
    },
  );

  app.get(
    '/projects/:slug/domains/:hostname/traffic',
    operation('domain.read', 'getDomainTraffic', 'Get the requests for a domain that moves', {
      params: DomainParams,
      response: jsonResponse(200, DomainTraffic),
    }),
    async (request) => {
      const { project } = accessOf(request);
      return trafficOf(deps, await domainOrThrow(deps.db, project, request.params.hostname));
    },
  );
};
