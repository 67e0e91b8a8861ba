import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../deps.ts';
import { endSessions, listSessionMethods } from '../store/sessions.ts';
import { isMethodAllowed } from './sign-in-rules.ts';

/**
 * Ends the sessions whose sign-in method the configuration no longer allows for their user. The dashboard refuses such
 * sessions anyway, but sites that they opened check only that the session exists.
 */
export async function endDisallowedSessions({
  db,
  config,
  log,
}: Pick<Deps, 'db' | 'config'> & { readonly log: Log }): Promise<void> {
  const sessions = await listSessionMethods(db);
  const ended = sessions.filter(({ email, method }) => !isMethodAllowed(config, email, method));
  if (ended.length === 0) return;
  await endSessions(
    db,
    ended.map(({ id }) => id),
  );
  log.info({ sessions: ended.length }, 'ended sessions whose sign-in method is no longer allowed');
}
