import { UserError } from '@petstore/service/user-error.ts';
import { DashboardClient } from './dashboard-client.ts';

const DEFAULT_URL = 'http://127.0.0.1:8081';

/** The client for DASHBOARD_URL and DASHBOARD_TOKEN. Throws UserError where they cannot be used. */
export function clientOfEnvironment(env: NodeJS.ProcessEnv): DashboardClient {
  const { DASHBOARD_URL: url = DEFAULT_URL, DASHBOARD_TOKEN: token } = env;
  if (!token) {
    throw new UserError(
      'DASHBOARD_TOKEN must be an API token. Create one on the account page of the dashboard, or with `dashboard tokens create`.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UserError(
      'DASHBOARD_TOKEN is not an API token: it has characters that tokens do not have. A token begins with dash_. It was shown once, when it was created.',
    );
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UserError(
      `DASHBOARD_URL must be the address of the dashboard, such as ${DEFAULT_URL}; got ${JSON.stringify(url)}.`,
    );
  }
  return new DashboardClient(url, token);
}
