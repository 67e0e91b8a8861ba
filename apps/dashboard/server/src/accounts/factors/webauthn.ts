import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { invalidRequest, unauthorized } from '../../api-error.ts';
import type { PasskeyRow } from '../../store/passkeys.ts';
import type { UserRow } from '../../store/users.ts';
import { providerOf } from './passkey-providers.ts';
import type { RelyingParty } from './relying-party.ts';

// Web Authentication, level 3, by SimpleWebAuthn, which is loaded with the first use of a passkey.

/** How long a browser may wait for a person. Challenges are kept as long. */
export const CEREMONY_MS = 5 * 60_000;

/**
 * EdDSA, ES256 and RS256, which every authenticator has one of. Without the list the library would ask Node for
 * post-quantum ones, which warns that they are experimental.
 */
const ALGORITHMS = [-8, -7, -257];

const load = () => import('@simplewebauthn/server');

/** What a browser is asked for when a user adds a passkey. Those of `existing` are not made twice. */
export async function creationOptions(
  { id }: RelyingParty,
  user: UserRow,
  existing: readonly PasskeyRow[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await load();
  return generateRegistrationOptions({
    rpID: id,
    rpName: `Dashboard at ${id}`,
    userID: Buffer.from(user.id),
    userName: user.email,
    userDisplayName: user.name,
    attestationType: 'none',
    timeout: CEREMONY_MS,
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: existing.map(descriptorOf),
    // Preferred: a plain security key is a second factor, too. It is not one that signs in alone.
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
}

/**
 * What a browser is asked for to sign in or to confirm. `passkeys`: those that may answer; without them any that the
 * browser has for this host. `isAlone`: nothing else is asked, so the device must check who holds it.
 */
export async function requestOptions(
  { id }: RelyingParty,
  { passkeys = [], isAlone }: { passkeys?: readonly PasskeyRow[]; isAlone: boolean },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await load();
  return generateAuthenticationOptions({
    rpID: id,
    timeout: CEREMONY_MS,
    allowCredentials: passkeys.map(descriptorOf),
    userVerification: isAlone ? 'required' : 'preferred',
  });
}

function descriptorOf({ credential_id, transports }: PasskeyRow) {
  return { id: credential_id, transports: JSON.parse(transports) as string[] };
}

export type NewPasskey = Pick<
  PasskeyRow,
  | 'credential_id'
  | 'public_key'
  | 'counter'
  | 'transports'
  | 'rp_id'
  | 'name'
  | 'backup_eligible'
  | 'backed_up'
>;

/** The passkey that a browser has made. Throws ApiError `invalid_request` where it was made for something else. */
export async function checkCreation(
  { id, origin }: RelyingParty,
  challenge: string,
  response: RegistrationResponseJSON,
): Promise<NewPasskey> {
  const { verifyRegistrationResponse } = await load();
  refuseFrames(response.response.clientDataJSON);
  const checked = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: false,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((error: Error) => {
    throw invalidRequest(`The passkey could not be checked: ${error.message}.`);
  });
  const made = checked.verified ? checked.registrationInfo : undefined;
  if (!made) throw invalidRequest('The passkey could not be checked: its statement is not right.');
  const { credential, credentialDeviceType, credentialBackedUp, aaguid } = made;
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: JSON.stringify(credential.transports ?? []),
    rp_id: id,
    name: providerOf(aaguid) ?? 'Passkey',
    backup_eligible: credentialDeviceType === 'multiDevice' ? 1 : 0,
    backed_up: credentialBackedUp ? 1 : 0,
  };
}

/** What a passkey signed. */
export interface Assertion {
  readonly passkey: PasskeyRow;
  readonly counter: number;
  readonly isBackedUp: boolean;
}

/**
 * Checks the signature of a passkey. Its counter is checked where it is stored. Throws ApiError `unauthorized` where it
 * is not the passkey's, or was made for another challenge, origin or host, or, with `isAlone`, without checking who
 * holds the device.
 */
export async function checkAssertion(
  { id, origin }: RelyingParty,
  challenge: string,
  passkey: PasskeyRow,
  response: AuthenticationResponseJSON,
  { isAlone }: { isAlone: boolean },
): Promise<Assertion> {
  const { verifyAuthenticationResponse } = await load();
  refuseFrames(response.response.clientDataJSON);
  const checked = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: isAlone,
    credential: {
      id: passkey.credential_id,
      publicKey: Buffer.from(passkey.public_key, 'base64url'),
      counter: 0,
      transports: JSON.parse(passkey.transports) as string[],
    },
  }).catch((error: Error) => {
    throw unauthorized(`The passkey could not be checked: ${error.message}.`);
  });
  if (!checked.verified) throw unauthorized('The signature of the passkey is wrong.');
  const { newCounter, credentialBackedUp } = checked.authenticationInfo;
  return { passkey, counter: newCounter, isBackedUp: credentialBackedUp };
}

/** The challenge that a response says it answers. Throws ApiError `invalid_request` where it says none. */
export function challengeOf(clientDataJson: string): string {
  const { challenge } = clientDataOf(clientDataJson);
  if (typeof challenge !== 'string')
    throw invalidRequest('response.clientDataJSON names no challenge.');
  return challenge;
}

/** No page of the dashboard can be in a frame, so no page of another origin asked through one. */
function refuseFrames(clientDataJson: string): void {
  if (clientDataOf(clientDataJson).crossOrigin === true) {
    throw unauthorized('The passkey was used in a page of another origin.');
  }
}

function clientDataOf(text: string): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (typeof data === 'object' && data !== null) return data as Record<string, unknown>;
  } catch {
    // Refused below.
  }
  throw invalidRequest('response.clientDataJSON must be JSON in base64url.');
}
