import type { Problem } from '../../../server/src/oidc/problem.ts';

type Sentences = (provider: string) => string;

/** What became of a sign-in with a provider that did not succeed, and what to do. */
const SENTENCES: Record<Problem, Sentences> = {
  not_begun_here: () =>
    'This sign-in did not begin in this browser, or took longer than ten minutes. Begin again here.',
  used: () => 'This sign-in was finished already. Begin again here.',
  denied: (provider) => `${provider} did not sign you in. Try again, or choose another way.`,
  unreachable: (provider) =>
    `${provider} cannot be reached right now. Try again in a few minutes; if it stays so, tell whoever runs this dashboard.`,
  failed: (provider) =>
    `The answer of ${provider} was not accepted. Try again; if it stays so, tell whoever runs this dashboard: the reason is under Installation, Sign-in.`,
  email_missing: (provider) =>
    `${provider} did not tell your e-mail address, and your account here is made with it. Tell whoever runs this dashboard.`,
  email_unverified: (provider) =>
    `${provider} has not verified your e-mail address. Verify it there, then try again.`,
  no_account: (provider) =>
    `You have no account here, and nobody has invited the address that ${provider} gave. Ask an owner of your project for an invitation.`,
  no_owner_yet: () =>
    'Nobody has an account here yet. The first one, which owns the installation, is made with a password.',
  account_exists: (provider) =>
    `An account with your address exists. Sign in to it as before, and link ${provider} under Account, Security.`,
  other_identity: (provider) =>
    `The account with your address is linked with another account at ${provider}. Ask whoever runs this dashboard for a link to sign in, and link this one under Account, Security.`,
  disabled: () => 'Your account is disabled. Ask the owner of this installation.',
  other_provider: (provider) =>
    `Your address signs in with another provider than ${provider}. Choose that one.`,
  identity_taken: (provider) =>
    `Your account at ${provider} is linked with another account here. Sign in with ${provider} to get there.`,
  signed_out: () => 'You were signed out meanwhile. Sign in, and begin again.',
  not_confirmed: (provider) =>
    `${provider} did not confirm that it is you: it signed in another account, or did not ask again. Try again, or sign out and in.`,
  too_many: () =>
    'Too many tries to sign in from your network. Wait a quarter of an hour, then try again.',
};

/** The sentence for a problem in the page's address; undefined for what is none. */
export function problemSentence(problem: unknown, provider: string): string | undefined {
  const known = typeof problem === 'string' && Object.hasOwn(SENTENCES, problem);
  return known ? SENTENCES[problem as Problem](provider) : undefined;
}
