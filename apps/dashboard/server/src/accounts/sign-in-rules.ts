import { forbidden } from '../api-error.ts';
import type { Config } from '../config.ts';
import { canonicalHost } from '../edge/host.ts';
import type { OidcProviderConfig } from '../oidc/oidc-config.ts';

// Who may sign in how. The one place that decides it: asked when someone signs in, and again at every request with a
// session, so that a provider that becomes required, or is taken out, ends the sessions that began in another way.

type Rules = Pick<Config, 'oidc'>;

/** Whether a provider speaks for the domain of an address. */
export function speaksFor({ emailDomains }: OidcProviderConfig, email: string): boolean {
  const domain = canonicalHost(email.slice(email.lastIndexOf('@') + 1));
  return domain !== undefined && emailDomains.includes(domain);
}

/** The providers of which whoever has this address must use one; none: there are other ways. */
export function requiredProviders({ oidc }: Rules, email: string): OidcProviderConfig[] {
  return oidc.filter(
    (provider) =>
      provider.required === 'everyone' ||
      (provider.required === 'domains' && speaksFor(provider, email)),
  );
}

/** Whether someone with this address may sign in like that, or go on with a session that began so. */
export function isMethodAllowed({ oidc }: Rules, email: string, method: string): boolean {
  const [first = ''] = method.split('+');
  // The operator's own way in.
  if (first === 'link') return true;
  const by = oidc.find(({ id }) => first === `provider:${id}`);
  // A provider that was taken out.
  if (first.startsWith('provider:') && !by) return false;
  const required = requiredProviders({ oidc }, email);
  return required.length === 0 || required.some((provider) => provider === by);
}

/** Throws ApiError `forbidden` where someone with this address may not sign in like that. */
export function checkMethod(rules: Rules, email: string, method: string): void {
  if (!isMethodAllowed(rules, email, method)) throw signInElsewhere(rules, email);
}

/** Throws ApiError `forbidden` for an address whose people sign in with a provider and have no use for a password. */
export function checkPasswordsFor(rules: Rules, email: string): void {
  if (requiredProviders(rules, email).length > 0) throw signInElsewhere(rules, email);
}

/**
 * Throws ApiError `forbidden` for an address for which a provider speaks: its owner gets an account there. Whoever took it
 * here without proving that it is theirs would be taken for its owner, by a directory for one.
 */
export function refuseAddressOfProvider({ oidc }: Rules, email: string): void {
  const names = oidc.filter((each) => speaksFor(each, email)).map(({ name }) => name);
  if (names.length === 0) return;
  throw forbidden(
    `${email} gets its account by signing in with ${names.join(' or ')}. Go to the sign-in page.`,
  );
}

function signInElsewhere(rules: Rules, email: string) {
  const names = requiredProviders(rules, email).map(({ name }) => name);
  return forbidden(
    `${email} signs in with ${names.join(' or ')}, and in no other way. Where that is not possible, whoever runs this dashboard can make a link: dashboard users sign-in-link.`,
  );
}
