import { type Rate, tokenBuckets } from '../token-buckets.ts';

/** Messages to the sites of one project that this process answers: to one client, and to all. */
const OF_CLIENT: Rate = { burst: 20, perSecond: 5 };
const OF_PROJECT: Rate = { burst: 60, perSecond: 20 };

/**
 * Counts the messages to each project. The returned function tells whether another one of a client may be answered now:
 * one that is refused for its client takes nothing from the project. `client` is undefined for one that is not counted.
 */
export function callRate(now: () => number = () => performance.now()) {
  const takeOfClient = tokenBuckets(OF_CLIENT, now);
  const takeOfProject = tokenBuckets(OF_PROJECT, now);
  return (projectId: string, client: string | undefined): boolean =>
    (client === undefined || takeOfClient(`${projectId} ${client}`)) && takeOfProject(projectId);
}
