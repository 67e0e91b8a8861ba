import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../deps.ts';
import { endSessions, listSessionMethods } from '../store/sessions.ts';
import { isMethodAllowed } from './sign-in-rules.ts';

/**
 * Ends the sessions that began in a way in which their people may not sign in any more, as the configuration has it since
 * this start. The dashboard refuses them anyway; sites that they opened for reading, at every edge, know of the session
 * alone.
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
  log.info(
    { sessions: ended.length },
    'sessions ended whose people sign in with another provider now, or in another way',
  );
}
