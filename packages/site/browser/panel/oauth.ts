// OAuth 2.0 (RFC 6749) with PKCE (RFC 7636), the device flow (RFC 8628) and discovery (OpenID Connect).

import type { FlowData, SchemeData } from '../../src/request/operation-data.ts';
import { CALLBACK_CHANNEL, CALLBACK_PATH } from './callback.ts';
import type { Keys } from './keys.ts';
import { goesThroughProxy, ProxyError, revealProxy, sendThroughProxy } from './proxy.ts';

/** What a reader entered for a flow. */
export interface Client {
  readonly id: string;
  readonly secret: string;
  readonly scopes: readonly string[];
  readonly user: string;
  readonly password: string;
  /** Whether the id and the secret stand in the body, not in the header `Authorization`. */
  readonly inBody: boolean;
}

/** Why there is no token, in a sentence for the reader. */
export class OAuthError extends Error {}

export const callbackAddress = (): string => new URL(CALLBACK_PATH, location.origin).href;

/** Asks the authorization server in a window of its own, and gives back what it answers. */
export async function authorizeInWindow(
  flow: FlowData,
  client: Client,
  signal: AbortSignal,
): Promise<Partial<Keys>> {
  // At once, as long as the browser takes it for the reader's own act.
  const popup = window.open('', '_blank', 'popup,width=560,height=720');
  if (popup === null) {
    throw new OAuthError(
      'The browser blocked the window. Allow this site to open windows, and try again.',
    );
  }
  const stop = () => popup.close();
  signal.addEventListener('abort', stop);
  try {
    const verifier = randomText(48);
    const state = randomText(16);
    const { challenge, method } = await challengeOf(verifier);
    const isImplicit = flow.type === 'implicit';
    const address = webAddress(flow.authorizationUrl);
    const parameters = {
      response_type: isImplicit ? 'token' : 'code',
      client_id: client.id,
      redirect_uri: callbackAddress(),
      state,
      ...(client.scopes.length > 0 && { scope: client.scopes.join(' ') }),
      ...(!isImplicit && { code_challenge: challenge, code_challenge_method: method }),
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    const response = authorizationResponse(state, signal);
    popup.opener = null;
    popup.location.replace(address.href);
    const given = await response;
    if (given.error) throw new OAuthError(refusalText(given));
    if (isImplicit) return keysFrom(given);
    if (!given.code) throw new OAuthError('The authorization server sent no code.');
    return await askToken(flow, client, signal, {
      grant_type: 'authorization_code',
      code: given.code,
      redirect_uri: callbackAddress(),
      code_verifier: verifier,
    });
  } finally {
    signal.removeEventListener('abort', stop);
    popup.close();
  }
}

/** The parameters of a request to an authorization server, or of its response (RFC 6749). */
type OAuthParameters = { readonly [name: string]: string };

/** What the callback page tells, once it comes with our own `state`. */
function authorizationResponse(state: string, signal: AbortSignal): Promise<OAuthParameters> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(CALLBACK_CHANNEL);
    const stop = () => {
      channel.close();
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    channel.onmessage = ({ data }: MessageEvent<OAuthParameters>) => {
      if (data.state !== state) return;
      signal.removeEventListener('abort', stop);
      channel.close();
      resolve(data);
    };
  });
}

async function challengeOf(verifier: string) {
  // Only pages that came over HTTPS, or from this machine, may hash.
  if (crypto.subtle === undefined) return { challenge: verifier, method: 'plain' };
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { challenge: base64url(new Uint8Array(hash)), method: 'S256' };
}

const randomText = (bytes: number) => base64url(crypto.getRandomValues(new Uint8Array(bytes)));

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** A token for the client itself, or for the name and password that the reader entered. */
export function askForClient(
  flow: FlowData,
  client: Client,
  signal: AbortSignal,
): Promise<Partial<Keys>> {
  const scope = client.scopes.length > 0 ? { scope: client.scopes.join(' ') } : undefined;
  const { user, password } = client;
  return askToken(
    flow,
    client,
    signal,
    flow.type === 'password'
      ? { grant_type: 'password', username: user, password, ...scope }
      : { grant_type: 'client_credentials', ...scope },
  );
}

/** What the reader does on another device, or in another window. */
export interface DevicePrompt {
  readonly code: string;
  readonly address: string;
}

/** Shows a code by `prompt`, and waits until the reader has entered it. */
export async function askForDevice(
  flow: FlowData,
  client: Client,
  signal: AbortSignal,
  prompt: (shown: DevicePrompt) => void,
): Promise<Partial<Keys>> {
  const scope = client.scopes.length > 0 ? { scope: client.scopes.join(' ') } : undefined;
  const begun = await post(flow.deviceAuthorizationUrl, client, signal, {
    client_id: client.id,
    ...scope,
  });
  if (begun.error || !begun.device_code) throw new OAuthError(refusalText(begun));
  prompt({
    code: begun.user_code ?? '',
    address: webAddress(begun.verification_uri_complete ?? begun.verification_uri).href,
  });
  let seconds = Math.max(1, Number(begun.interval ?? 5) || 5);
  const end = Date.now() + 1000 * (Number(begun.expires_in) || 900);
  while (Date.now() < end) {
    await pause(1000 * seconds, signal);
    const response = await post(flow.tokenUrl, client, signal, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: begun.device_code,
    });
    if (response.error === 'slow_down') seconds += 5;
    else if (response.error !== 'authorization_pending') return keysFrom(response);
  }
  throw new OAuthError('The code has expired. Begin again.');
}

/** A new token for the refresh token of an old one. */
export async function refreshKeys(
  flow: FlowData,
  client: Client,
  keys: Keys,
  signal: AbortSignal,
): Promise<Partial<Keys>> {
  const { refreshToken = '' } = keys;
  const tokenUrl = flow.refreshUrl ?? flow.tokenUrl ?? '';
  const parameters = { grant_type: 'refresh_token', refresh_token: refreshToken };
  // The old one stays valid where no new one comes (RFC 6749, section 6).
  return { refreshToken, ...(await askToken({ ...flow, tokenUrl }, client, signal, parameters)) };
}

/** The flows that an OpenID provider offers. */
export async function discoverFlows(
  { discovery }: SchemeData,
  signal: AbortSignal,
): Promise<FlowData[]> {
  const address = webAddress(discovery);
  const { value: found } = await ask({ url: address, headers: {} }, signal);
  const tokenUrl = textOf(found.token_endpoint) ?? '';
  const authorizationUrl = textOf(found.authorization_endpoint);
  const deviceAuthorizationUrl = textOf(found.device_authorization_endpoint);
  const names = Array.isArray(found.scopes_supported) ? found.scopes_supported : ['openid'];
  const scopes = names
    .filter((name) => typeof name === 'string')
    .slice(0, 50)
    .map((name) => [name] as const);
  const grants = Array.isArray(found.grant_types_supported) ? found.grant_types_supported : [];
  const flows: FlowData[] = [];
  if (authorizationUrl)
    flows.push({ type: 'authorizationCode', authorizationUrl, tokenUrl, scopes });
  if (deviceAuthorizationUrl)
    flows.push({ type: 'deviceAuthorization', deviceAuthorizationUrl, tokenUrl, scopes });
  if (grants.includes('client_credentials'))
    flows.push({ type: 'clientCredentials', tokenUrl, scopes });
  if (flows.length === 0)
    throw new OAuthError(`${address.origin} names no flow that can be used from here.`);
  return flows;
}

async function askToken(
  flow: FlowData,
  client: Client,
  signal: AbortSignal,
  parameters: OAuthParameters,
): Promise<Partial<Keys>> {
  return keysFrom(await post(flow.tokenUrl, client, signal, parameters));
}

async function post(
  url: string | undefined,
  { id, secret, inBody }: Client,
  signal: AbortSignal,
  parameters: OAuthParameters,
): Promise<OAuthParameters> {
  const isHeader = secret !== '' && !inBody;
  const form = new URLSearchParams({
    ...parameters,
    ...(!isHeader && { client_id: id }),
    ...(!isHeader && secret !== '' && { client_secret: secret }),
  });
  const basic = `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`;
  const headers = { Accept: 'application/json', ...(isHeader && { Authorization: basic }) };
  const { status, value } = await ask({ url: webAddress(url), headers, form }, signal);
  const texts = Object.entries(value).map(([name, text]) => [name, String(text)] as const);
  if ((status < 200 || status > 299) && !value.error)
    throw new OAuthError(`The authorization server answered with ${status}.`);
  return Object.fromEntries(texts);
}

interface ServerRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent by POST; without it the request is a GET. */
  readonly form?: URLSearchParams;
}

/** The object that an authorization server answers with, as the reader chose to ask it. */
async function ask(request: ServerRequest, signal: AbortSignal) {
  const { url } = request;
  const { status, body } = await responseTo(request, signal);
  const value: unknown = await new Response(body).json().catch(() => undefined);
  if (typeof value === 'object' && value !== null)
    return { status, value: value as { readonly [name: string]: unknown } };
  throw new OAuthError(`${url.origin} answered with ${status}, not with JSON.`);
}

async function responseTo({ url, headers, form }: ServerRequest, signal: AbortSignal) {
  const method = form ? 'POST' : 'GET';
  const sent = { ...headers, ...(form && { 'Content-Type': 'application/x-www-form-urlencoded' }) };
  try {
    return goesThroughProxy(url.href)
      ? await sendThroughProxy(
          { method, url: url.href, headers: Object.entries(sent), content: form?.toString() },
          signal,
        )
      : await fetch(url, {
          ...{ method, headers: sent, signal, credentials: 'omit' },
          ...(form && { body: form }),
        });
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof ProxyError) throw new OAuthError(error.message);
    const failure = `No response from ${url.origin}. Either it is down, or it does not allow pages of ${location.origin} to ask for tokens (CORS), or this page's policy does not name it.`;
    throw new OAuthError(
      (await revealProxy())
        ? `${failure} To ask it through this site\u2019s server, tick \u201cSend through ${location.host}\u201d above, and try again.`
        : failure,
    );
  }
}

function keysFrom(response: OAuthParameters): Partial<Keys> {
  if (response.error || !response.access_token) throw new OAuthError(refusalText(response));
  const seconds = Number(response.expires_in);
  return {
    value: response.access_token,
    ...(response.refresh_token && { refreshToken: response.refresh_token }),
    ...(seconds > 0 && { ends: Date.now() + 1000 * seconds }),
  };
}

function refusalText({ error = 'no token', error_description: more }: OAuthParameters): string {
  return `The authorization server refused: ${error}${more ? `, ${more}` : ''}.`;
}

/** Nothing but HTTP is ever opened or asked: the address is the document's, or a server's. */
function webAddress(given: string | undefined): URL {
  const text = given ?? '';
  const url = URL.canParse(text, location.origin) ? new URL(text, location.origin) : undefined;
  if (text === '' || url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new OAuthError(`${text || 'An empty text'} is no address of an authorization server.`);
  }
  return url;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
