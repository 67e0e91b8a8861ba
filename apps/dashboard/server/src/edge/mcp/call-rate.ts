import { type Rate, tokenBuckets } from '../token-buckets.ts';

/** Messages to the sites of one project that this process answers: to one client, and to all. */
const OF_CLIENT: Rate = { burst: 20, perSecond: 5 };
const OF_PROJECT: Rate = { burst: 60, perSecond: 20 };

/**
 * Milliseconds of this thread that answers of one project may take, and those of all: sites are served by the same
 * thread, and some operations take twenty of them.
 */
const TIME_OF_PROJECT: Rate = { burst: 500, perSecond: 100 };
const TIME_OF_ALL: Rate = { burst: 1_500, perSecond: 250 };

export interface CallRate {
  /**
   * Whether another message of a client may be answered now: one that is refused for its client takes nothing from the
   * project. `client` is undefined for one that is not counted.
   */
  take(projectId: string, client: string | undefined): boolean;
  /** Counts the time that an answer took, in milliseconds. */
  spend(projectId: string, milliseconds: number): void;
}

/** Counts the messages to each project, and the time that they take. */
export function callRate(now: () => number = () => performance.now()): CallRate {
  const ofClients = tokenBuckets(OF_CLIENT, now);
  const ofProjects = tokenBuckets(OF_PROJECT, now);
  const timeOfProjects = tokenBuckets(TIME_OF_PROJECT, now);
  const timeOfAll = tokenBuckets(TIME_OF_ALL, now);
  return {
    take: (projectId, client) =>
      timeOfAll.has('') &&
      timeOfProjects.has(projectId) &&
      (client === undefined || ofClients.take(`${projectId} ${client}`)) &&
      ofProjects.take(projectId),
    spend(projectId, milliseconds) {
      timeOfAll.spend('', milliseconds);
      timeOfProjects.spend(projectId, milliseconds);
    },
  };
}
