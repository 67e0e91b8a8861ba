import type { Deps } from '../deps.ts';

/** What to enter at a provider. Each has its own, so that no answer of one passes for another's (RFC 9700, section 4.4.2). */
export function addressesFor(
  { addresses }: Pick<Deps, 'addresses'>,
  providerId: string,
): { redirect: string; backchannelLogout: string; signedOut: string; signIn: string } {
  const { dashboard } = addresses();
  const base = `${dashboard}/api/oidc/${providerId}`;
  return {
    redirect: `${base}/callback`,
    backchannelLogout: `${base}/backchannel-logout`,
    signedOut: `${dashboard}/sign-in`,
    signIn: `${dashboard}/sign-in?with=${providerId}`,
  };
}
