import type { JWTVerifyGetKey } from 'jose';
import type { Configuration, CustomFetch } from 'openid-client';
import type { OidcProviderConfig } from './oidc-config.ts';
import { ProviderError } from './provider-error.ts';
import { type ProviderFetch, providerFetch } from './provider-fetch.ts';

/** By how much a provider's clock may differ from ours, in seconds. */
export const CLOCK_TOLERANCE_S = 60;

/** A provider's keys are read again for a key that is not among them, but not more often than this. */
const KEYS_PAUSE_MS = 5_000;
const KEYS_FRESH_MS = 10 * 60_000;

/** What a provider's discovery document says, ready for use. */
export interface Discovered {
  readonly client: Configuration;
  readonly issuer: string;
  /** Its public keys. A new key is found when a token first names it. */
  readonly keys: JWTVerifyGetKey;
  /** The algorithms by which it may sign: none with a shared key. */
  readonly algorithms: readonly string[];
  /** Whether it can be asked to end its own session, too. */
  readonly endsSessions: boolean;
  /** The scopes and abilities that it announces, for the page. */
  readonly hasBackchannelLogout: boolean;
}

/** Signatures that only the provider can make. */
const SIGNATURES = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Endpoints that must be there. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
/** Endpoints that are used where they are there. */
const FURTHER = ['userinfo_endpoint', 'end_session_endpoint'] as const;

/**
 * Reads a provider's discovery document (OpenID Connect Discovery 1.0, section 4). Rejects where it cannot be had, is
 * of another issuer, or lacks what is needed.
 */
export async function discover(
  { issuer, clientId, clientSecret }: OidcProviderConfig,
  { dnsServers, signal }: { dnsServers: readonly string[]; signal: AbortSignal },
): Promise<Discovered> {
  const [oidc, { createRemoteJWKSet, customFetch }] = await Promise.all([
    import('openid-client'),
    import('jose'),
  ]);
  const ask: ProviderFetch = (url, request) =>
    fetchOf(url, { ...request, signal: merged(request?.signal, signal) });
  const fetchOf = providerFetch(issuer, { dnsServers });
  const isPlain = issuer.startsWith('http:');
  const discovered = await oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    [oidc.customFetch]: ask as CustomFetch,
    execute: isPlain ? [oidc.allowInsecureRequests] : [],
  });
  const { supportsPKCE: _, ...metadata } = discovered.serverMetadata();
  if (metadata.issuer.replace(/\/$/, '') !== issuer.replace(/\/$/, ''))
    throw new ProviderError(
      `The discovery document is of the issuer ${metadata.issuer}. Set that as the issuer, if it is the right one.`,
    );
  for (const name of [...ENDPOINTS, ...FURTHER]) checkEndpoint(name, metadata[name], isPlain);
  const methods = metadata.code_challenge_methods_supported;
  if (methods && !methods.includes('S256'))
    throw new ProviderError('The provider does not support PKCE with S256 (RFC 7636).');
  const algorithms = SIGNATURES.filter(
    (name) => metadata.id_token_signing_alg_values_supported?.includes(name) ?? name === 'RS256',
  );
  if (algorithms.length === 0)
    throw new ProviderError('The provider signs its ID tokens with no public key.');
  const offered = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const client = new oidc.Configuration(
    { ...metadata, id_token_signing_alg_values_supported: algorithms },
    clientId,
    { client_secret: clientSecret, [oidc.clockTolerance]: CLOCK_TOLERANCE_S },
    offered.includes('client_secret_basic')
      ? oidc.ClientSecretBasic(clientSecret)
      : oidc.ClientSecretPost(clientSecret),
  );
  client[oidc.customFetch] = ask as CustomFetch;
  if (isPlain) oidc.allowInsecureRequests(client);
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri ?? ''), {
    [customFetch]: ask,
    cooldownDuration: KEYS_PAUSE_MS,
    cacheMaxAge: KEYS_FRESH_MS,
    timeoutDuration: 15_000,
  });
  return {
    client,
    issuer: metadata.issuer,
    keys,
    algorithms,
    endsSessions: metadata.end_session_endpoint !== undefined,
    hasBackchannelLogout: metadata.backchannel_logout_supported === true,
  };
}

/** Browsers are sent to some of them: none may be anything but an address over TLS, unless the issuer is on this machine. */
function checkEndpoint(name: string, endpoint: unknown, isPlain: boolean): void {
  if (endpoint === undefined && FURTHER.some((further) => further === name)) return;
  const protocol = typeof endpoint === 'string' ? URL.parse(endpoint)?.protocol : undefined;
  if (protocol === 'https:' || (isPlain && protocol === 'http:')) return;
  throw new ProviderError(`The discovery document's ${name} is not an https address.`);
}

function merged(one: AbortSignal | undefined, other: AbortSignal): AbortSignal {
  return one ? AbortSignal.any([one, other]) : other;
}
