import { unauthorized } from '../../api-error.ts';
import type { Deps } from '../../deps.ts';
import { insertPasskeyChallenge, takePasskeyChallenge } from '../../store/passkey-challenges.ts';
import type { Row } from '../../store/schema.ts';
import { CEREMONY_MS, challengeOf } from './webauthn.ts';

type ChallengeDeps = Pick<Deps, 'db' | 'now'>;

/** What a challenge is for, and whose it is: a session's id, or the hash of the cookie of a browser that has none. */
export interface ChallengeBinding {
  readonly purpose: Row<'passkey_challenges'>['purpose'];
  readonly to: string;
}

/** Stores the challenge of these options for the browser that gets them, and returns the options. */
export async function issueChallenge<Options extends { readonly challenge: string }>(
  { db, now }: ChallengeDeps,
  options: Options,
  { purpose, to }: ChallengeBinding,
): Promise<Options> {
  const { challenge } = options;
  const row = { challenge, purpose, bound_to: to, expires_at: now() + CEREMONY_MS };
  await insertPasskeyChallenge(db, row, now());
  return options;
}

/**
 * Consumes the challenge that a response answers, and returns it. Throws ApiError `unauthorized` where it was not
 * issued to this browser for this purpose, was answered before, or has expired.
 */
export async function consumeChallenge(
  { db, now }: ChallengeDeps,
  { response }: { readonly response: { readonly clientDataJSON: string } },
  { purpose, to }: ChallengeBinding,
): Promise<string> {
  const challenge = challengeOf(response.clientDataJSON);
  if (!(await takePasskeyChallenge(db, { challenge, purpose, bound_to: to }, now()))) {
    throw unauthorized('This use of the passkey has expired, or was taken already. Try again.');
  }
  return challenge;
}
