import { InstallationSecurity, SecurityPolicy } from '../accounts/factors/factor.ts';
import { changeSecurityPolicy, installationSecurity } from '../accounts/factors/security-policy.ts';
import { callerOf } from '../http/access.ts';
import {
  jsonResponse,
  operationsOf,
  type Routes,
  requiresReauthentication,
} from '../http/routes.ts';

const operation = operationsOf('Installation');

/** What the installation requires of those who sign in. */
export const securityRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/installation/security',
    operation('installation', 'getSecurity', 'Who must have a second factor, and who has none', {
      response: jsonResponse(200, InstallationSecurity),
    }),
    () => installationSecurity(deps.db),
  );

  app.put(
    '/installation/security',
    requiresReauthentication(
      operation('installation-session', 'changeSecurity', 'Change who must have a second factor', {
        description:
          'From their next sign-in on, whoever has none is led to set one up and can do nothing else before. API tokens go on working.',
        body: SecurityPolicy,
        response: jsonResponse(200, InstallationSecurity),
      }),
    ),
    async (request) => {
      await changeSecurityPolicy(deps, callerOf(request), request.body);
      return installationSecurity(deps.db);
    },
  );
};
