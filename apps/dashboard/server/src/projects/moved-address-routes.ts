import { Type } from '@petstore/service/schema-builders.ts';
import { notFound } from '../api-error.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { singlePage } from '../http/pagination.ts';
import { NO_CONTENT, operationsOf, pageResponse, type Routes, SlugParams } from '../http/routes.ts';
import { instant } from '../schema-types.ts';
import { writeAudit } from '../store/audit.ts';
import { endMoved, listMovedAddresses } from '../store/reserved-labels.ts';
import { recordSiteChange } from '../store/sites.ts';
import { lockProjectFor } from './lock-project.ts';
import { MovedAddress } from './moved-address.ts';

const operation = operationsOf('Projects');

/** The addresses that a project had before, which lead to it for a while. */
export const movedAddressRoutes: Routes = async (app, { deps }) => {
  const { db, addresses, now, siteChanged } = deps;

  app.get(
    '/projects/:slug/moved-addresses',
    operation('project.read', 'listMovedAddresses', 'List addresses that lead to the project', {
      description: 'Those of slugs that it had in the last 90 days, the last one first.',
      params: SlugParams,
      response: pageResponse(MovedAddress),
    }),
    async (request) => {
      const rows = await listMovedAddresses(db, accessOf(request).project.id, now());
      return singlePage(
        rows.map(({ slug, until }) => ({
          ...{ slug, url: addresses().site(slug), until: instant(until) },
        })),
      );
    },
  );

  app.delete(
    '/projects/:slug/moved-addresses/:address',
    operation('project.update', 'endMovedAddress', 'End that an address leads to the project', {
      description: 'Its slug stays reserved.',
      params: Type.Object({ ...SlugParams.properties, address: Type.String() }),
      response: NO_CONTENT,
    }),
    async (request) => {
      const { id } = accessOf(request).project;
      const caller = callerOf(request);
      const { address } = request.params;
      await db.transaction().execute(async (trx) => {
        await lockProjectFor(trx, caller, id, 'project.update');
        if (!(await endMoved(trx, id, address, now()))) throw notFound('address');
        await writeAudit(trx, now(), caller.actor, {
          action: 'project.end_redirect',
          projectId: id,
          target: address,
        });
        await recordSiteChange(trx, id, now());
      });
      siteChanged(id);
    },
  );
};
