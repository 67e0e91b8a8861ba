import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
} from '@simplewebauthn/browser';
import { request } from '../api.ts';

// Passkeys of the browser, by the addresses of the API: `PATH/options` says what is asked for, and PATH takes the answer.

export const hasPasskeys = browserSupportsWebAuthn;

/** Whether the browser offers passkeys in the list of a field, without a button. */
export async function offersPasskeysInFields(): Promise<boolean> {
  return hasPasskeys() && !isAddress() && (await browserSupportsWebAuthnAutofill());
}

/** Browsers have passkeys for names alone (WebAuthn, section 5.1.3). The button says what to do. */
const isAddress = () => /^([\d.]+|\[.*\])$/.test(location.hostname);

/**
 * Has the browser sign with a passkey, and sends that to `path`. `inFields`: it waits until one is chosen in a field;
 * another use of a passkey ends the wait. Returns what the server responds.
 */
export async function signWithPasskey<T>(path: string, { inFields = false } = {}): Promise<T> {
  const { options } = await request<{ options: PublicKeyCredentialRequestOptionsJSON }>(
    'POST',
    `${path}/options`,
  );
  const signed = await startAuthentication({
    optionsJSON: options,
    useBrowserAutofill: inFields,
  }).catch(explain);
  return request<T>('POST', path, signed);
}

/** Ends a wait for a passkey. */
export function stopWaiting(): void {
  WebAuthnAbortService.cancelCeremony();
}

/** Has the browser make a passkey, and sends it to `path`. Returns what the server responds. */
export async function makePasskey<T>(path: string): Promise<T> {
  const { options } = await request<{ options: PublicKeyCredentialCreationOptionsJSON }>(
    'POST',
    `${path}/options`,
  );
  const made = await startRegistration({ optionsJSON: options }).catch(explain);
  return request<T>('POST', path, made);
}

/** The use of a passkey ended without one: nothing is wrong. */
export class PasskeyAborted extends Error {}

function explain(error: unknown): never {
  if (error instanceof WebAuthnError) {
    if (error.code === 'ERROR_CEREMONY_ABORTED') throw new PasskeyAborted();
    if (error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') {
      throw new Error('This device has a passkey for your account already.');
    }
  }
  // Browsers do not tell whether somebody declined, or there is no passkey.
  if (error instanceof Error && error.name === 'NotAllowedError') {
    throw new Error('No passkey was used. Try again, or choose another way.');
  }
  throw new Error(
    `The browser could not use a passkey${error instanceof Error ? `: ${error.message}` : ''}.`,
  );
}
