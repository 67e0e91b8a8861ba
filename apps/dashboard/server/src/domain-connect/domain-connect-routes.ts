import { Type } from '@petstore/service/schema-builders.ts';
import { domainOrThrow } from '../domains/domains.ts';
import { accessOf } from '../http/access.ts';
import { jsonResponse, operationsOf, type Routes, SlugParams } from '../http/routes.ts';
import { offerFor } from './apply-url.ts';
import { DomainConnectOffer } from './offer.ts';

const operation = operationsOf('Domains');

/** Domain Connect (draft-ietf-dconn-domainconnect), synchronous flow. */
export const domainConnectRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/projects/:slug/domains/:hostname/domain-connect',
    operation('domain.manage', 'getDomainConnect', 'Have the DNS provider create the records', {
      description:
        "Asks the provider of the zone whether it has taken this installation's template for Domain Connect.",
      params: Type.Object({ ...SlugParams.properties, hostname: Type.String() }),
      response: jsonResponse(200, DomainConnectOffer),
    }),
    async (request) => {
      const { project } = accessOf(request);
      const domain = await domainOrThrow(deps.db, project, request.params.hostname);
      const offer = await offerFor(deps, project, domain);
      return offer ?? { provider: null, applyUrl: null, state: null };
    },
  );
};
