import { UserError } from '@petstore/service/user-error.ts';
import { clientOfEnvironment } from '../deploy/client-of-environment.ts';

/**
 * The address of the deploy that a project's readers see now. Asks the dashboard of DASHBOARD_URL; rejects with UserError
 * where it does not say.
 */
export async function liveAddress(slug: string): Promise<string> {
  const client = clientOfEnvironment(process.env);
  const { live } = await client.readProject(slug);
  if (live) return live.url;
  throw new UserError(
    `Nothing of the project ${slug} is live, so nothing can be compared with it.`,
  );
}
