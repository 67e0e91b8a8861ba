import { Type } from '@petstore/service/schema-builders.ts';
import { notFound } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { clientAddress } from '../http/client-address.ts';
import { jsonResponse, operationsOf, type Routes } from '../http/routes.ts';
import { findDomainByLink } from '../store/domains.ts';
import { findProjectById } from '../store/projects.ts';
import { LinkedDomain } from './domain.ts';
import { presentLinkedDomain } from './present-domain.ts';
import { verifyDomain } from './verify-domain.ts';

const operation = operationsOf('Domains');
const LinkParams = Type.Object({ secret: Type.String() });

/** The page that the link opens for whoever has the DNS and no account. */
export const domainLinkRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/domain-links/:secret',
    operation('public', 'getLinkedDomain', 'What to create in the DNS, for whoever has the link', {
      params: LinkParams,
      response: jsonResponse(200, LinkedDomain),
    }),
    async (request) => {
      const { domain, project } = await linked(deps, request.params.secret);
      return presentLinkedDomain(deps, project, domain);
    },
  );

  app.post(
    '/domain-links/:secret/verify',
    operation('public', 'verifyLinkedDomain', 'Look at the DNS now, for whoever has the link', {
      params: LinkParams,
      response: jsonResponse(200, LinkedDomain),
    }),
    async (request) => {
      const { domain, project } = await linked(deps, request.params.secret);
      const actor: Actor = {
        userId: null,
        name: 'whoever has the link',
        via: 'none',
        ip: clientAddress(request),
      };
      return presentLinkedDomain(deps, project, await verifyDomain(deps, domain, actor));
    },
  );
};

async function linked({ db }: Deps, secret: string) {
  const domain = await findDomainByLink(db, secret);
  const project = domain && (await findProjectById(db, domain.project_id));
  if (!project) throw notFound('link');
  return { domain, project };
}
