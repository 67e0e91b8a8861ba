import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { invalidRequest } from '../api-error.ts';
import type { SigningAlgorithm } from '../edge/access/site-access.ts';

interface PublicKey {
  readonly algorithm: SigningAlgorithm;
  /** JSON Web Key, as JSON. */
  readonly jwk: string;
}

const RSA_BITS = { min: 2_048, max: 8_192 } as const;

/** Reads a public key in PEM or as a JSON Web Key. Throws ApiError for what is none, and for private keys. */
export function readPublicKey(text: string): PublicKey {
  const given = text.trim();
  const key = given.startsWith('{') ? fromJwk(given) : fromPem(given);
  return { algorithm: algorithmOf(key), jwk: JSON.stringify(key.export({ format: 'jwk' })) };
}

function fromPem(text: string): KeyObject {
  if (/PRIVATE KEY/.test(text)) throw isPrivate();
  if (!/^-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(text))
    throw invalidRequest(
      'publicKey must be in PEM, beginning with -----BEGIN PUBLIC KEY-----, or a JSON Web Key.',
    );
  return parse(() => createPublicKey({ key: text, format: 'pem' }));
}

function fromJwk(text: string): KeyObject {
  let jwk: unknown;
  try {
    jwk = JSON.parse(text);
  } catch {
    throw invalidRequest('publicKey begins as a JSON Web Key and is not valid JSON.');
  }
  const { d, k, keys } = jwk as Record<string, unknown>;
  if (d !== undefined || k !== undefined) throw isPrivate();
  if (keys !== undefined)
    throw invalidRequest('publicKey is a set of keys. Add each of its keys by itself.');
  return parse(() => createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }));
}

function parse(read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch {
    throw invalidRequest(
      'publicKey could not be read: it is damaged, or of a kind not known here.',
    );
  }
}

const isPrivate = () =>
  invalidRequest(
    'publicKey is a private key. It was not kept; make a new pair, and send the public key of it.',
  );

function algorithmOf({
  asymmetricKeyType,
  asymmetricKeyDetails = {},
}: KeyObject): SigningAlgorithm {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails;
  if (asymmetricKeyType === 'ed25519') return 'EdDSA';
  if (asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return 'ES256';
  if (asymmetricKeyType === 'rsa') {
    if (modulusLength >= RSA_BITS.min && modulusLength <= RSA_BITS.max) return 'RS256';
    throw invalidRequest(
      `publicKey must have ${RSA_BITS.min} to ${RSA_BITS.max} bits; it has ${modulusLength}.`,
    );
  }
  throw invalidRequest(
    `publicKey must be of Ed25519, P-256 or RSA; it is of ${namedCurve ?? asymmetricKeyType}.`,
  );
}
