import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, FlattenedSign } from 'jose';
import type { ExternalAccount } from '../config-acme.ts';
import { type AcmeResponse, type AcmeTransport, UnreachableError } from './acme-transport.ts';

/** Nonces kept for the next requests. Authorities forget theirs after a while; then they send another. */
const MAX_NONCES = 8;

/** How often a request is sent again because of its nonce (RFC 8555, section 6.5). */
const MAX_NONCE_RETRIES = 5;

const BAD_NONCE = 'urn:ietf:params:acme:error:badNonce';

/** The requests of an account (RFC 8555, section 6), each signed with its key. */
export interface AcmeRequests {
  /** The response to a POST; without a payload, to a POST-as-GET. Rejects as the transport does. */
  post(url: string, payload?: object): Promise<AcmeResponse>;
  /** Asks for a new account, or for the one of this key, and signs with its URL from then on. Its URL. */
  postNewAccount(url: string, payload: object): Promise<string>;
  /** RFC 8555, section 8.1. */
  keyAuthorization(token: string): string;
}

interface RequestOptions {
  /** The account's private key, in PEM. */
  readonly key: string;
  /** The account's URL; undefined until it was made. */
  readonly accountUrl: string | undefined;
  /** Binds a new account (RFC 8555, section 7.3.4). */
  readonly external: ExternalAccount | undefined;
  readonly newNonceUrl: string;
}

export async function acmeRequests(
  { key, accountUrl, external, newNonceUrl }: RequestOptions,
  send: AcmeTransport,
): Promise<AcmeRequests> {
  const privateKey = createPrivateKey(key);
  const jwk = await exportJWK(createPublicKey(privateKey));
  const alg = signatureAlgorithm(jwk);
  const thumbprint = await calculateJwkThumbprint(jwk);
  const nonces: string[] = [];
  let kid = accountUrl;

  async function takeNonce(): Promise<string> {
    const kept = nonces.pop();
    if (kept !== undefined) return kept;
    const { headers } = await send(newNonceUrl, 'head');
    const nonce = headers['replay-nonce'];
    if (nonce === undefined) throw new UnreachableError('the authority sent no nonce');
    return nonce;
  }

  async function post(
    url: string,
    payload: object | undefined,
    signer: { jwk: object } | { kid: string },
  ): Promise<AcmeResponse> {
    const bytes = new TextEncoder().encode(payload === undefined ? '' : JSON.stringify(payload));
    for (let retries = 0; ; retries += 1) {
      const header = { alg, nonce: await takeNonce(), url, ...signer };
      const body = await new FlattenedSign(bytes).setProtectedHeader(header).sign(privateKey);
      const response = await send(url, 'post', body);
      const nonce = response.headers['replay-nonce'];
      if (nonce !== undefined) nonces.push(nonce);
      if (nonces.length > MAX_NONCES) nonces.shift();
      if (!isBadNonce(response)) return response;
      if (retries === MAX_NONCE_RETRIES) {
        throw new UnreachableError(`the authority refused ${retries + 1} nonces in a row`);
      }
    }
  }

  return {
    post(url, payload) {
      if (kid === undefined) throw new Error('the account has no URL yet');
      return post(url, payload, { kid });
    },
    async postNewAccount(url, payload) {
      const binding = external && {
        externalAccountBinding: bindExternalAccount(external, url, jwk),
      };
      const { headers } = await post(url, { ...payload, ...binding }, { jwk });
      if (headers.location === undefined) {
        throw new UnreachableError('the authority made an account without a URL');
      }
      kid = headers.location;
      return kid;
    },
    keyAuthorization: (token) => `${token}.${thumbprint}`,
  };
}

/** RFC 7518, section 3.1. */
function signatureAlgorithm({ crv }: { crv?: string | undefined }): string {
  const byCurve: Readonly<Record<string, string>> = {
    'P-256': 'ES256',
    'P-384': 'ES384',
    'P-521': 'ES512',
  };
  return byCurve[crv ?? ''] ?? 'RS256';
}

/** RFC 8555, section 7.3.4. By hand, since authorities may give keys that are shorter than RFC 7518 wants them. */
function bindExternalAccount({ kid, hmacKey }: ExternalAccount, url: string, jwk: object): object {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const [header, payload] = [encode({ alg: 'HS256', kid, url }), encode(jwk)];
  const hmac = createHmac('sha256', Buffer.from(hmacKey, 'base64url'));
  const signature = hmac.update(`${header}.${payload}`).digest('base64url');
  return { protected: header, payload, signature };
}

function isBadNonce({ status, data }: AcmeResponse): boolean {
  return status >= 400 && (data as { type?: unknown } | null)?.type === BAD_NONCE;
}
