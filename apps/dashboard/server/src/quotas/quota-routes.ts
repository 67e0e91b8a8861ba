import { Type } from '@petstore/service/schema-builders.ts';
import { invalidRequest, notFound } from '../api-error.ts';
import { callerOf } from '../http/access.ts';
import { PageQuery, singlePage } from '../http/pagination.ts';
import {
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
} from '../http/routes.ts';
import { OneOf } from '../schema-types.ts';
import type { Db } from '../store/schema.ts';
import { amountsOf, mostOf } from './amount.ts';
import { QUOTA_NAMES, QUOTAS, type QuotaName } from './quota.ts';
import { AccountQuotas, ProjectQuotas, QuotaDefault, QuotaState, QuotaValue } from './quota-use.ts';
import { readAccountHolders, readDefaults, readProjectHolders } from './read-holders.ts';
import { setQuota } from './set-quota.ts';
import { findTarget, parseTarget, type QuotaTarget } from './target.ts';
import { usedOf } from './usage.ts';

const operation = operationsOf('Quotas');

const QuotaParams = Type.Object({
  quota: Type.String({ description: QUOTA_NAMES.map((name) => `\`${name}\``).join(', ') }),
  target: Type.String({
    description:
      '`everybody`, `plan:free`, `account:` and an address, or `project:` and a slug. The most specific wins.',
    examples: ['plan:free'],
  }),
});

const HoldersQuery = Type.Object({
  ...PageQuery.properties,
  search: Type.Optional(
    Type.String({ maxLength: 254, description: 'Part of a name, an address or a slug.' }),
  ),
  exceptions: Type.Optional(
    OneOf(['true', 'false'], { description: 'true: those alone for which something is set.' }),
  ),
});

/** What accounts and projects may use, for the installation's owner. */
export const quotaRoutes: Routes = async (app, { deps }) => {
  const { db, now } = deps;

  app.get(
    '/installation/quotas',
    operation('installation', 'listQuotas', 'What is set for everybody and for plans', {
      description: 'Every quota with everybody and each plan, also where nothing is set.',
      response: pageResponse(QuotaDefault),
    }),
    async () => singlePage(await readDefaults(db)),
  );

  app.get(
    '/installation/quotas/accounts',
    operation('installation', 'listAccountQuotas', 'What accounts use and may use', {
      description: 'Those whose projects hold the most come first.',
      querystring: HoldersQuery,
      response: pageResponse(AccountQuotas),
    }),
    (request) => readAccountHolders(db, request.query),
  );

  app.get(
    '/installation/quotas/projects',
    operation('installation', 'listProjectQuotas', 'What projects use and may use', {
      description: 'Those that hold the most come first.',
      querystring: HoldersQuery,
      response: pageResponse(ProjectQuotas),
    }),
    (request) => readProjectHolders(db, request.query, now()),
  );

  app.put(
    '/installation/quotas/:quota/:target',
    operation('installation', 'setQuota', 'Set a quota', {
      description: 'From the next request on. What is there already stays, also where it is more.',
      params: QuotaParams,
      body: QuotaValue,
      response: jsonResponse(200, QuotaState),
    }),
    async (request) => {
      const { quota, target } = await readParams(db, request.params);
      const { most } = request.body;
      if (most !== null && most > mostOf(quota))
        throw invalidRequest(`most must be ${amountsOf(quota)}.`);
      await setQuota(deps, quota, target, most, callerOf(request).actor);
      const used = await usedOf(db, quota, target, now());
      return { quota, target: request.params.target, isSet: true, most, used };
    },
  );

  app.delete(
    '/installation/quotas/:quota/:target',
    operation('installation', 'unsetQuota', 'Unset a quota', {
      description: 'What is set for the plan, or for everybody, holds again.',
      params: QuotaParams,
      response: NO_CONTENT,
    }),
    async (request) => {
      const { quota, target } = await readParams(db, request.params);
      const wasSet = await setQuota(deps, quota, target, 'unset', callerOf(request).actor);
      if (!wasSet) throw notFound('quota');
    },
  );
};

/** Throws ApiError where there is no such quota, or nobody of that name. */
async function readParams(
  db: Db,
  { quota: name, target: text }: { quota: string; target: string },
): Promise<{ quota: QuotaName; target: QuotaTarget }> {
  if (!Object.hasOwn(QUOTAS, name)) throw notFound('quota');
  const quota = name as QuotaName;
  const asked = parseTarget(text);
  if (!asked)
    throw invalidRequest('target must be everybody, plan:PLAN, account:ADDRESS or project:SLUG.');
  const target = await findTarget(db, quota, asked);
  if ('problem' in target) throw invalidRequest(`target is wrong: ${target.problem}`);
  return { quota, target };
}
