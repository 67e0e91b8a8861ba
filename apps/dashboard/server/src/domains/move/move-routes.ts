import { Type } from '@petstore/service/schema-builders.ts';
import { conflict } from '../../api-error.ts';
import { accessOf } from '../../http/access.ts';
import { jsonResponse, operationsOf, type Routes, SlugParams } from '../../http/routes.ts';
import type { DomainRow } from '../../store/domains.ts';
import type { ProjectRow } from '../../store/projects.ts';
import type { Db } from '../../store/schema.ts';
import { domainOrThrow } from '../domains.ts';
import { isWildcard } from '../wildcard.ts';
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
      return watchMove(deps, await nameOrThrow(deps.db, project, request.params.hostname));
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
      return trafficOf(deps, await nameOrThrow(deps.db, project, request.params.hostname));
    },
  );
};

/** A domain that can move. Throws ApiError where there is none, and for a wildcard, which is no name that anyone asks for. */
async function nameOrThrow(db: Db, project: ProjectRow, hostname: string): Promise<DomainRow> {
  const domain = await domainOrThrow(db, project, hostname);
  if (!isWildcard(domain.hostname)) return domain;
  throw conflict(
    `${domain.hostname} is a wildcard, whose move cannot be watched; add the names below it that are live by themselves.`,
  );
}
