import type { Exception } from '@petstore/changes/exceptions.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { appliedExceptions } from '../../deploys/exceptions/change-exception.ts';
import { clientOfEnvironment } from '../deploy/client-of-environment.ts';

/** What a project's readers see now. */
interface LiveVersion {
  /** Of its deploy. */
  readonly address: string;
  /** The changes of it that the project's owners allow. */
  readonly exceptions: readonly Exception[];
}

/** Asks the dashboard of DASHBOARD_URL; rejects with UserError where it does not say. */
export async function liveVersion(slug: string): Promise<LiveVersion> {
  const client = clientOfEnvironment(process.env);
  const { live } = await client.readProject(slug);
  if (!live)
    throw new UserError(
      `Nothing of the project ${slug} is live, so nothing can be compared with it.`,
    );
  return { address: live.url, exceptions: appliedExceptions(await client.listExceptions(slug)) };
}
