import { createPublicKey, hash, type JsonWebKey, verify } from 'node:crypto';
import { AcmeProblem } from './acme-problem.ts';

/** A request that its key has signed (RFC 8555, section 6.2). */
export interface SignedRequest {
  readonly url: string;
  readonly nonce: string;
  /** The account's URL; undefined where the JWS has the key itself. */
  readonly kid: string | undefined;
  readonly jwk: JsonWebKey | undefined;
  /** undefined: a POST-as-GET, section 6.3. */
  readonly payload: Readonly<Record<string, unknown>> | undefined;
  /** Throws AcmeProblem unless this key made the signature. */
  check(key: JsonWebKey): void;
}

/** Reads a flattened JWS. Throws AcmeProblem for anything else, and for algorithms besides ES256 and RS256. */
export function readSigned(body: Buffer): SignedRequest {
  const outer = parse(body.toString());
  const [header64, payload64, signature] = ['protected', 'payload', 'signature'].map((field) => {
    const value = outer[field];
    if (typeof value === 'string') return value;
    throw new AcmeProblem('malformed', `The JWS has no ${field}.`);
  }) as [string, string, string];
  const header = parse(decode(header64));
  const { alg, url, nonce, kid, jwk } = header as Record<string, string | undefined> & {
    jwk?: JsonWebKey;
  };
  if (alg !== 'ES256' && alg !== 'RS256') {
    throw new AcmeProblem('badSignatureAlgorithm', `${alg} is neither ES256 nor RS256.`);
  }
  if ((kid === undefined) === (jwk === undefined)) {
    throw new AcmeProblem('malformed', 'The JWS must have either a kid or a jwk.');
  }
  return {
    url: String(url),
    nonce: String(nonce),
    kid,
    jwk,
    payload: payload64 === '' ? undefined : parse(decode(payload64)),
    check(key) {
      const signed = Buffer.from(`${header64}.${payload64}`);
      const publicKey = createPublicKey({ key, format: 'jwk' });
      const options = alg === 'ES256' ? { dsaEncoding: 'ieee-p1363' as const } : {};
      const isFit = publicKey.asymmetricKeyType === (alg === 'ES256' ? 'ec' : 'rsa');
      const bytes = Buffer.from(signature, 'base64url');
      if (!isFit || !verify('sha256', signed, { key: publicKey, ...options }, bytes)) {
        throw new AcmeProblem('malformed', 'The JWS is not signed by its key.');
      }
    },
  };
}

/** RFC 7638. */
export function thumbprint({ kty, crv, x, y, e, n }: JsonWebKey): string {
  const members = kty === 'EC' ? { crv, kty, x, y } : { e, kty, n };
  return hash('sha256', JSON.stringify(members), 'base64url');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString();
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The error is below.
  }
  throw new AcmeProblem('malformed', 'The protected header or the payload is not a JSON object.');
}
