import { RULES } from '../judge.ts';
import { conditionalRequests } from '../rules/conditional-requests.ts';
import { connectionsReused } from '../rules/connections-reused.ts';
import { credentialsInHeader } from '../rules/credentials-in-header.ts';
import { exactIds } from '../rules/exact-ids.ts';
import { idempotencyKeys } from '../rules/idempotency-keys.ts';
import { noUnsafeRetry } from '../rules/no-unsafe-retry.ts';
import { notModifiedUnderstood } from '../rules/not-modified-understood.ts';
import { paceUnderQuota } from '../rules/pace-under-quota.ts';
import { pagesByLink } from '../rules/pages-by-link.ts';
import { retriesBackOff } from '../rules/retries-back-off.ts';
import { retryAfterKept } from '../rules/retry-after-kept.ts';
import { timeLimits } from '../rules/time-limits.ts';
import { unknownTolerated } from '../rules/unknown-tolerated.ts';
import { webhooksAnsweredInTime, webhooksTakenTwice, webhooksVerified } from '../rules/webhooks.ts';
import { addedOnce, practiceNames } from './added-once.ts';
import { addAnimals, type Challenge, challenge } from './challenge.ts';
import { everythingListed } from './everything-listed.ts';
import { onlyWhatStays } from './only-what-stays.ts';

const LIST = { operations: ['listPets'] };
const CREATE = { operations: ['createPet'] };

const LIST_ALL = 'List all animals with limit=10, page by page, to the end.';

/** The time that the task of `hang` allows, and what the service adds to it before it says that it was too long. */
const PATIENCE_SECONDS = 4;
const PATIENCE_SLACK_MS = 1_000;

export const CHALLENGES: readonly Challenge[] = [
  challenge({
    code: 'list-while-others-add',
    title: 'List everything while others add',
    task: `${LIST_ALL} Meanwhile others add animals and remove some that you have seen.`,
    rules: [pagesByLink, everythingListed],
    async beforePage({ pets }, after) {
      await pets.create({ name: `Newcomer after ${after}`, categoryId: 1n, status: 'available' });
      // Who counts rows instead of following the link now misses one.
      await pets.remove(after);
    },
  }),
  challenge({
    code: 'big-ids',
    title: 'Keep every digit',
    task: 'Find the animal named Exact in the list, and add one named Copy with the same categoryId.',
    rules: [exactIds],
    async prepare(store, seed) {
      await addAnimals(store, seed);
      // Odd and beyond 2^53: a double cannot hold it.
      const categoryId = 9_007_199_254_740_993n + 2n * BigInt(seed % 1_000);
      await store.pets.create({ name: 'Exact', categoryId, status: 'available' });
    },
  }),
  challenge({
    code: 'new-words',
    title: 'Meet words that the document does not have',
    task: `${LIST_ALL} Some pages have members and a status that are newer than your client.`,
    rules: [unknownTolerated, everythingListed],
    faults: () => [
      { fault: 'drift=unknown', ...LIST, from: 1, times: 1 },
      { fault: 'drift=enum', ...LIST, from: 2, times: 1 },
    ],
  }),
  challenge({
    code: 'told-to-wait',
    title: 'Wait as long as you are told',
    task: `${LIST_ALL} When you are refused with Retry-After, try again when it is over.`,
    rules: [retryAfterKept, everythingListed],
    faults: () => [
      { fault: 'status=503;retry-after=1', ...LIST, from: 1, times: 1 },
      { fault: 'status=429;retry-after=2', ...LIST, from: 3, times: 1 },
    ],
  }),
  challenge({
    code: 'back-off',
    title: 'Try again, more slowly each time',
    task: `${LIST_ALL} The second page fails three times in a row: do not give up before the fourth attempt.`,
    rules: [retriesBackOff, everythingListed],
    faults: () => [{ fault: 'status=502', ...LIST, from: 2, times: 3 }],
  }),
  challenge({
    code: 'add-once',
    title: 'Add five animals, each once',
    task: 'Add Practice 1 to Practice 5, each exactly once. Connections break before and after the work is done.',
    rules: [noUnsafeRetry, addedOnce(practiceNames(5))],
    watched: [idempotencyKeys],
    faults: () => [
      { fault: 'reset=after', ...CREATE, from: 2, times: 1 },
      { fault: 'reset=before', ...CREATE, from: 5, times: 1 },
    ],
  }),
  challenge({
    code: 'twins',
    title: 'Add the same animal three times',
    task: 'Add three animals that are alike in every member: name Twin, categoryId 1. Send an Idempotency-Key with each POST. One of them fails.',
    rules: [idempotencyKeys, addedOnce(['Twin'], 3)],
    watched: [noUnsafeRetry],
    faults: () => [{ fault: 'status=503;when=after', ...CREATE, from: 2, times: 1 }],
  }),
  challenge({
    code: 'quota',
    title: 'Stay under a quota',
    task: 'Add Practice 1 to Practice 10, as fast as you may. After a 429 send nothing until its Retry-After is over.',
    rules: [paceUnderQuota, addedOnce(practiceNames(10))],
    faults: () => [{ fault: 'status=429;retry-after=1', ...CREATE, from: 4, times: 2 }],
  }),
  challenge({
    code: 'poll',
    title: 'Ask again and again for little',
    task: 'Read GET /pets?status=available&limit=20 six times within some seconds. Nothing changes meanwhile.',
    rules: [conditionalRequests, notModifiedUnderstood],
  }),
  challenge({
    code: 'hang',
    title: 'Do not wait for ever',
    task: `${LIST_ALL} Wait at most ${PATIENCE_SECONDS} seconds for a response, then give up and ask again.`,
    rules: [timeLimits, everythingListed],
    longestWaitMs: PATIENCE_SECONDS * 1_000 + PATIENCE_SLACK_MS,
    faults: () => [{ fault: 'latency=10s', ...LIST, from: 2, times: 1 }],
  }),
  challenge({
    code: 'cut-short',
    title: 'Notice what is missing',
    task: `${LIST_ALL} Some responses end in the middle: ask for those again.`,
    rules: [everythingListed],
    watched: [pagesByLink],
    faults: () => [
      { fault: 'cut=0.6', ...LIST, from: 2, times: 1 },
      { fault: 'length=40', ...LIST, from: 4, times: 1 },
    ],
  }),
  challenge({
    code: 'manners',
    title: 'Good manners',
    task: 'Send ten requests, one after the other, to operations that stay.',
    rules: [connectionsReused, credentialsInHeader, onlyWhatStays],
  }),
  challenge({
    code: 'webhooks',
    title: 'Trust no delivery unseen',
    task:
      'Make a webhook for your endpoint with POST /webhooks and change an animal. When the challenge ends, the endpoint ' +
      'gets the newest event, the same again, and a forged one: verify each, and answer within ten seconds.',
    rules: [webhooksVerified, webhooksAnsweredInTime, webhooksTakenTwice],
    triesWebhooks: true,
  }),
  challenge({
    code: 'bad-hour',
    title: 'Survive a bad hour',
    task: 'Add Practice 1 to Practice 12, each exactly once; then list all animals with limit=5, to the end. Much goes wrong.',
    rules: [addedOnce(practiceNames(12)), everythingListed],
    watched: RULES,
    faults: (seed) => [
      {
        fault: [
          `latency=uniform;min=5ms;max=150ms;rate=0.3;seed=${seed}`,
          `drift=unknown;rate=0.3;seed=${seed + 1}`,
          `cut=0.5;rate=0.1;seed=${seed + 2}`,
          `reset=after;rate=0.1;seed=${seed + 3}`,
          `status=503;retry-after=1;rate=0.1;seed=${seed + 4}`,
        ].join(', '),
        operations: ['listPets', 'createPet'],
      },
    ],
  }),
];

/** The challenge of a code. Throws Error where there is none. */
export function challengeOf(code: string): Challenge {
  const found = CHALLENGES.find((one) => one.code === code);
  if (!found) throw new Error(`there is no challenge ${code}`);
  return found;
}
