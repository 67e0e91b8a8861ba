/**
 * Why a sign-in with a provider did not succeed. The browser comes back by a redirect, so the page gets the code in its
 * address and has the sentence (web/src/session/problems.ts): nobody can make the page say anything else.
 */
export type Problem =
  | 'not_begun_here'
  | 'used'
  | 'denied'
  | 'unreachable'
  | 'failed'
  | 'email_missing'
  | 'email_unverified'
  | 'no_account'
  | 'no_owner_yet'
  | 'account_exists'
  | 'other_identity'
  | 'disabled'
  | 'other_provider'
  | 'identity_taken'
  | 'signed_out'
  | 'not_confirmed'
  | 'too_many';

/** Ends a sign-in with a provider. The cause is for the log alone. */
export class SignInProblem extends Error {
  override name = 'SignInProblem';
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}
