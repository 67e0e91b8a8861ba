import type { SignInStart } from '../../../server/src/oidc/sign-in.ts';
import { path, request } from '../api.ts';

/** Goes to a provider to sign in; it leads back to `next`. Resolves when the browser is on its way. */
export async function goToProvider(id: string, next?: string): Promise<void> {
  const body = next === undefined ? {} : { next };
  await leave(request<SignInStart>('POST', path`/oidc/${id}/start`, body));
}

/** Goes to a provider to link it with the account that is signed in. */
export async function goToLink(id: string): Promise<void> {
  await leave(request<SignInStart>('POST', path`/account/identities/${id}/start`));
}

/** Goes to a provider to prove again who one is; it leads back to this page. */
export async function goToConfirm(id: string): Promise<void> {
  const { pathname, search } = window.location;
  const body = { next: pathname + search };
  const start = path`/session/confirmation/providers/${id}/start`;
  await leave(request<SignInStart>('POST', start, body));
}

/** Links the provider that this browser has just signed in with, by the account's password, and goes there again. */
export async function confirmLink(password: string): Promise<void> {
  await leave(request<SignInStart>('POST', '/oidc/pending-link', { password }));
}

async function leave(start: Promise<SignInStart>): Promise<void> {
  window.location.assign((await start).url);
}
