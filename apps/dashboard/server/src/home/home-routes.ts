import { AuditEntry } from '../audit/audit-entry.ts';
import { presentEntry } from '../audit/present-entry.ts';
import { callerOf } from '../http/access.ts';
import { numericPosition, PageQuery, readPage } from '../http/pagination.ts';
import {
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
} from '../http/routes.ts';
import { ACTIVITY_DAYS, readActivity } from '../store/activity.ts';
import { hideFirstSteps, readFirstSteps } from '../store/first-steps.ts';
import { FirstSteps } from './first-steps.ts';
import { presentFirstSteps } from './present-first-steps.ts';

const operation = operationsOf('Home');

/** What the home page shows besides projects: what happened in them, and what a new account does first. */
export const homeRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/activity',
    operation('account', 'listActivity', 'What happened in your projects, the newest first', {
      description: `Deploys, domains and people of the last ${ACTIVITY_DAYS} days, in the projects whose audit log you may read.`,
      querystring: PageQuery,
      response: pageResponse(AuditEntry),
    }),
    async (request) => {
      const { user, token } = callerOf(request);
      const by = {
        userId: user.id,
        isEverywhere: user.role === 'owner',
        only: token?.projectId ?? undefined,
      };
      return readPage(
        request.query,
        (after, limit) =>
          readActivity(deps.db, by, { now: deps.now(), before: numericPosition(after), limit }),
        ({ id }) => id,
        presentEntry,
      );
    },
  );

  app.get(
    '/account/first-steps',
    operation('session', 'getFirstSteps', 'What a new account does first', {
      response: jsonResponse(200, FirstSteps),
    }),
    async (request) => {
      const { user } = callerOf(request);
      return presentFirstSteps(user, await readFirstSteps(deps.db, user.id));
    },
  );

  app.delete(
    '/account/first-steps',
    operation('session', 'hideFirstSteps', 'Put the list of first steps away', {
      response: NO_CONTENT,
    }),
    (request) => hideFirstSteps(deps.db, callerOf(request).user.id, deps.now()),
  );
};
