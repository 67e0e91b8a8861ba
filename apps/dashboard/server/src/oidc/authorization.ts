import { LIFETIME_MS } from '../accounts/sessions.ts';
import { CLOCK_TOLERANCE_S, type Discovered } from './discover.ts';
import { failureToNote } from './failure-to-note.ts';
import { FLOW_MS, type Flow } from './flow.ts';
import { type Person, personOf } from './person.ts';
import { SignInProblem } from './problem.ts';
import { ownWords } from './provider-error.ts';
import type { Provider } from './providers.ts';

/**
 * Begins a sign-in: authorization code with PKCE (RFC 7636), state and nonce. Rejects with ProviderError where the
 * provider's configuration cannot be read. Returns what the browser keeps, and where it goes.
 */
export async function beginAuthorization(
  provider: Provider,
  redirectUri: string,
  { purpose, next, now }: Pick<Flow, 'purpose' | 'next'> & { now: number },
): Promise<{ flow: Flow; url: URL }> {
  const { client } = await provider.discovered();
  const oidc = await import('openid-client');
  const flow: Flow = {
    provider: provider.config.id,
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
    ...{ purpose, next },
    endsAt: now + FLOW_MS,
  };
  const url = oidc.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope: provider.config.scopes,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
    code_challenge_method: 'S256',
    // Whoever sits at an open screen has no use for a session that the provider still has. Otherwise it may be as old as
    // ours, and the provider tells its age, since it was asked (OpenID Connect Core 1.0, section 2).
    ...(purpose.kind === 'confirm'
      ? { prompt: 'login', max_age: '0' }
      : { max_age: `${LIFETIME_MS / 1_000}` }),
  });
  return { flow, url };
}

/**
 * Who signed in, by the provider's answer: it is of this flow and of this provider (RFC 9207), its code is exchanged,
 * and the ID token is signed by the provider's key, for us, now, and for this flow. Rejects with SignInProblem.
 */
export async function finishAuthorization(
  provider: Provider,
  flow: Flow,
  callback: URL,
): Promise<Person> {
  const found = await provider.discovered().catch((cause) => {
    throw new SignInProblem('unreachable', { cause });
  });
  try {
    return await exchange(provider, found, flow, callback);
  } catch (cause) {
    if (isDenial(cause)) throw new SignInProblem('denied', { cause });
    const failure = failureToNote(cause, callback, found);
    if (failure !== undefined) await provider.noteFailure(failure);
    throw new SignInProblem('failed', { cause });
  }
}

async function exchange(
  { config }: Provider,
  found: Discovered,
  { state, nonce, verifier }: Flow,
  callback: URL,
): Promise<Person> {
  const oidc = await import('openid-client');
  const tokens = await oidc.authorizationCodeGrant(found.client, callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const idToken = tokens.id_token ?? '';
  await verifySignature(idToken, found, config.clientId);
  const claims = tokens.claims();
  if (!claims) throw new Error('The provider gave no ID token.');
  // OpenID Connect Core 1.0, section 2: 255 ASCII characters at most.
  if (!/^[\x20-\x7e]{1,255}$/.test(claims.sub))
    throw new Error(`The ID token's subject is not usable: ${ownWords(claims.sub)}`);
  const isThin =
    claims.email === undefined ||
    claims[config.verifiedClaim] === undefined ||
    (config.groupsClaim !== undefined && claims[config.groupsClaim] === undefined);
  // Many providers put what the scopes ask for there alone.
  const further: Record<string, unknown> =
    isThin && found.client.serverMetadata().userinfo_endpoint !== undefined
      ? await oidc.fetchUserInfo(found.client, tokens.access_token, claims.sub)
      : {};
  const all: Record<string, unknown> = { ...further, ...claims };
  // Two addresses: what one response says of its own, it does not say of the other's.
  if (claims.email !== undefined && further.email !== claims.email)
    all[config.verifiedClaim] = claims[config.verifiedClaim];
  return personOf({ ...all, iss: claims.iss, sub: claims.sub }, idToken, config);
}

/** openid-client has checked the claims; it leaves the signature to TLS, and this does not. */
async function verifySignature(
  idToken: string,
  { keys, algorithms, issuer }: Discovered,
  clientId: string,
): Promise<void> {
  const { jwtVerify } = await import('jose');
  await jwtVerify(idToken, keys, {
    issuer,
    audience: clientId,
    algorithms: [...algorithms],
    clockTolerance: CLOCK_TOLERANCE_S,
  });
}

/** The provider, or the person there, said no. */
function isDenial(error: unknown): boolean {
  const { name, error: code } = error as { name?: string; error?: string };
  return (
    name === 'AuthorizationResponseError' &&
    ['access_denied', 'login_required', 'interaction_required', 'consent_required'].includes(
      code ?? '',
    )
  );
}
