import { createPublicKey, generateKeyPair, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { Deps } from '../deps.ts';
import { findConnectKey, saveConnectKey } from '../store/domain-connect-keys.ts';
import type { Db } from '../store/schema.ts';

/** The label of the key in the zone. Another key would get another one, so that both are there while they change. */
export const KEY_LABEL = '_dck1';

const generate = promisify(generateKeyPair);

/** The context in which the private key is sealed. */
const SEALING_CONTEXT = 'domain connect';

/** How much of the key a TXT record has, in characters: with what is in front, a string of it has 255 at most. */
const PART_LENGTH = 220;

/** The private key of the installation, in PEM, which is made when it is first asked for. */
export async function signingKey({
  db,
  sealer,
  now,
}: Pick<Deps, 'db' | 'sealer' | 'now'>): Promise<string> {
  const known = await findConnectKey(db, KEY_LABEL);
  if (known) return sealer.open(known.sealed_key, SEALING_CONTEXT);
  // 2048 bits: the draft knows RSA alone.
  const { privateKey } = await generate('rsa', { modulusLength: 2_048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const der = createPublicKey(pem).export({ type: 'spki', format: 'der' });
  const saved = await saveConnectKey(db, {
    label: KEY_LABEL,
    sealed_key: sealer.seal(pem, SEALING_CONTEXT),
    public_key: der.toString('base64'),
    created_at: now(),
  });
  return sealer.open(saved.sealed_key, SEALING_CONTEXT);
}

/** The TXT records by which providers check signatures; none before there is a key. */
export async function keyTexts(db: Db): Promise<string[]> {
  const key = await findConnectKey(db, KEY_LABEL);
  if (!key) return [];
  const parts = key.public_key.match(new RegExp(`.{1,${PART_LENGTH}}`, 'g')) ?? [];
  return parts.map((part, at) => `p=${at + 1},a=RS256,d=${part}`);
}

/** Signs a query string, and adds the signature and where its key is. */
export function signedQuery(query: string, privateKey: string): string {
  const signature = sign('sha256', Buffer.from(query), privateKey).toString('base64');
  return `${query}&sig=${encodeURIComponent(signature)}&key=${KEY_LABEL}`;
}
