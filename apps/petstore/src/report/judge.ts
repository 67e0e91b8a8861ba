import type { Recording } from './recorded-request.ts';
import type { Finding, Rule } from './rule.ts';
import { conditionalRequests } from './rules/conditional-requests.ts';
import { connectionsReused } from './rules/connections-reused.ts';
import { credentialsInHeader } from './rules/credentials-in-header.ts';
import { deprecatedOperations } from './rules/deprecated-operations.ts';
import { exactIds } from './rules/exact-ids.ts';
import { idempotencyKeys } from './rules/idempotency-keys.ts';
import { noUnsafeRetry } from './rules/no-unsafe-retry.ts';
import { notModifiedUnderstood } from './rules/not-modified-understood.ts';
import { paceUnderQuota } from './rules/pace-under-quota.ts';
import { pagesByLink } from './rules/pages-by-link.ts';
import { retriesBackOff } from './rules/retries-back-off.ts';
import { retryAfterKept } from './rules/retry-after-kept.ts';
import { timeLimits } from './rules/time-limits.ts';
import { unknownTolerated } from './rules/unknown-tolerated.ts';
import { webhooksAnsweredInTime, webhooksTakenTwice, webhooksVerified } from './rules/webhooks.ts';

/** Every rule, in the order of the report. */
export const RULES: readonly Rule[] = [
  ...[pagesByLink, exactIds, unknownTolerated, deprecatedOperations],
  ...[retryAfterKept, retriesBackOff, noUnsafeRetry, idempotencyKeys, timeLimits, paceUnderQuota],
  ...[conditionalRequests, notModifiedUnderstood, connectionsReused, credentialsInHeader],
  ...[webhooksVerified, webhooksAnsweredInTime, webhooksTakenTwice],
];

/** What a rule says of a client. */
export type Judgement = Pick<Rule, 'code' | 'title' | 'standard' | 'advice'> & Finding;

export function judge(recording: Recording, rules: readonly Rule[] = RULES): Judgement[] {
  return rules.map(({ code, title, standard, advice, ...rule }) => ({
    ...{ code, title, standard, advice },
    ...rule.judge(recording),
  }));
}
