import { createHmac, type JsonWebKey, timingSafeEqual } from 'node:crypto';
import { AcmeProblem } from './acme-problem.ts';
import { thumbprint } from './jws.ts';

/**
 * Checks the binding of a new account (RFC 8555, section 7.3.4): a JWS over the account's key, by the MAC key that the
 * authority gave. `keys`: the MAC keys in base64url, by their ids. Throws AcmeProblem.
 */
export function checkExternalAccount(
  keys: Readonly<Record<string, string>>,
  binding: unknown,
  url: string,
  jwk: JsonWebKey,
): void {
  if (typeof binding !== 'object' || binding === null) {
    throw new AcmeProblem(
      'externalAccountRequired',
      'A new account needs an externalAccountBinding.',
    );
  }
  const { protected: header64, payload, signature } = binding as Record<string, unknown>;
  const refused = (why: string) => new AcmeProblem('unauthorized', why);
  if (![header64, payload, signature].every((part) => typeof part === 'string')) {
    throw new AcmeProblem('malformed', 'The binding is not a JWS.');
  }
  const header = parse(String(header64));
  const key = keys[String(header.kid)];
  if (header.alg !== 'HS256' || header.url !== url) {
    throw new AcmeProblem('malformed', 'The binding is not by HS256, or for another address.');
  }
  if (key === undefined) throw refused('The external account is not known.');
  const mac = createHmac('sha256', Buffer.from(key, 'base64url'))
    .update(`${header64}.${payload}`)
    .digest();
  const sent = Buffer.from(String(signature), 'base64url');
  if (sent.length !== mac.length || !timingSafeEqual(mac, sent)) {
    throw refused('The binding is not signed by the external account.');
  }
  if (thumbprint(parse(String(payload))) !== thumbprint(jwk)) {
    throw refused('The binding is for another account.');
  }
}

function parse(text: string): Record<string, string> {
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, string>;
}
