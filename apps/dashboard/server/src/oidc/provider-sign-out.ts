import type { Deps } from '../deps.ts';
import { findOwnSession } from '../store/sessions.ts';
import { addressesFor } from './addresses.ts';
import type { SignedOut } from './sign-in.ts';

/** A longer ID token would not fit into the address to which the browser goes with it. */
const MAX_ID_TOKEN_LENGTH = 6_000;

const CONTEXT = 'id token of a session';

/** The ID token as a session keeps it, for the provider to know whose session it ends; undefined where it is too long. */
export function sealIdToken({ sealer }: Pick<Deps, 'sealer'>, idToken: string): string | undefined {
  return idToken.length > MAX_ID_TOKEN_LENGTH ? undefined : sealer.seal(idToken, CONTEXT);
}

/**
 * Where whoever signs out here can sign out of the provider, too (OpenID Connect RP-Initiated Logout 1.0); undefined
 * where the session began without one, or it cannot be signed out of. Asks nobody: signing out never waits for a
 * provider.
 */
export async function providerSignOut(
  deps: Pick<Deps, 'db' | 'addresses' | 'sealer' | 'providers'>,
  sessionId: string,
): Promise<SignedOut | undefined> {
  const session = await findOwnSession(deps.db, sessionId);
  const id = /^provider:([^+]+)/.exec(session?.method ?? '')?.[1];
  const provider = id === undefined ? undefined : deps.providers.find(id);
  const known = provider?.known();
  if (!session || !provider || !known?.endsSessions) return undefined;
  const { buildEndSessionUrl } = await import('openid-client');
  const hint = openedIdToken(deps, session.sealed_id_token);
  const url = buildEndSessionUrl(known.client, {
    post_logout_redirect_uri: addressesFor(deps, provider.config.id).signedOut,
    ...(hint !== undefined && { id_token_hint: hint }),
  });
  return { provider: provider.config.name, url: url.href };
}

function openedIdToken(
  { sealer }: Pick<Deps, 'sealer'>,
  sealed: string | null,
): string | undefined {
  try {
    return sealed === null ? undefined : sealer.open(sealed, CONTEXT);
  } catch {
    // Sealed with an earlier key: the provider asks the person instead.
    return undefined;
  }
}
