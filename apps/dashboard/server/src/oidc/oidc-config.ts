import { type Env, mustBe, oneOf, secretText, text } from '@petstore/service/environment.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { isPrintable } from '../accounts/account-input.ts';
import { hostNames, list } from '../config-values.ts';

/** An OpenID provider with which people sign in. */
export interface OidcProviderConfig {
  /** Of a-z, 0-9 and `-`: in addresses, and in what is stored. */
  readonly id: string;
  /** For people, on the button. */
  readonly name: string;
  /** The issuer identifier, as the provider's tokens have it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** With spaces between; `openid` is one of them. */
  readonly scopes: string;
  /** The claim that lists a person's groups; undefined: groups are not read. */
  readonly groupsClaim: string | undefined;
  /** The claim that says whether the provider has verified the e-mail address. */
  readonly verifiedClaim: string;
  /** Domains whose addresses the provider speaks for, in lower case: their people get an account when they first sign in. */
  readonly emailDomains: readonly string[];
  /** Who signs in with this provider, or another required one, and in no other way. */
  readonly required: 'no' | 'domains' | 'everyone';
}

/** The prefix of a provider's variables. */
const variableOf = (id: string, what: string) =>
  `OIDC_${id.toUpperCase().replaceAll('-', '_')}_${what}`;

/** Reads OIDC_PROVIDERS and the variables of each provider. Throws UserError. */
export function readOidc(env: Env): OidcProviderConfig[] {
  const ids = list(env, 'OIDC_PROVIDERS');
  for (const [at, id] of ids.entries()) {
    const isTwice = ids.indexOf(id) !== at;
    if (isTwice || !/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(id))
      throw mustBe(
        'OIDC_PROVIDERS',
        'names of providers, each once, of a-z, 0-9 and -, separated by commas, such as acme,google',
        text(env, 'OIDC_PROVIDERS') ?? '',
      );
  }
  const providers = ids.map((id) => readProvider(env, id));
  for (const [at, { id, issuer }] of providers.entries()) {
    const earlier = providers.slice(0, at).find((other) => other.issuer === issuer);
    if (earlier)
      throw new UserError(
        `${variableOf(id, 'ISSUER')} is the same as ${variableOf(earlier.id, 'ISSUER')}; an issuer can be one provider only.`,
      );
  }
  return providers;
}

function readProvider(env: Env, id: string): OidcProviderConfig {
  const variable = (what: string) => variableOf(id, what);
  const demand = (what: string, wanted: string, value: string | undefined) => {
    if (value === undefined)
      throw new UserError(
        `${variable(what)} must be set, since OIDC_PROVIDERS lists ${id}: ${wanted}.`,
      );
    return value;
  };
  const emailDomains = hostNames(
    variable('EMAIL_DOMAINS'),
    text(env, variable('EMAIL_DOMAINS')) ?? '',
  );
  const required = oneOf(env, variable('REQUIRED'), ['no', 'domains', 'everyone'] as const, 'no');
  if (required === 'domains' && emailDomains.length === 0)
    throw new UserError(
      `${variable('REQUIRED')} is domains, so ${variable('EMAIL_DOMAINS')} must list them, such as example.com.`,
    );
  return {
    id,
    name: readName(variable('NAME'), text(env, variable('NAME')) ?? id),
    issuer: readIssuer(
      variable('ISSUER'),
      demand(
        'ISSUER',
        "the provider's issuer, such as https://login.example.com",
        text(env, variable('ISSUER')),
      ),
    ),
    clientId: demand(
      'CLIENT_ID',
      'the client id that the provider gave',
      text(env, variable('CLIENT_ID')),
    ),
    clientSecret: demand(
      'CLIENT_SECRET',
      'the client secret that the provider gave',
      secretText(env, variable('CLIENT_SECRET')),
    ),
    scopes: readScopes(variable('SCOPES'), text(env, variable('SCOPES')) ?? 'openid email profile'),
    groupsClaim: text(env, variable('GROUPS_CLAIM')),
    verifiedClaim: text(env, variable('VERIFIED_CLAIM')) ?? 'email_verified',
    emailDomains,
    required,
  };
}

function readName(variable: string, name: string): string {
  if (!isPrintable(name, 40)) throw mustBe(variable, '1 to 40 characters, such as Acme', name);
  return name;
}

/** Hosts of this machine, which a provider in a test or a lab has. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** An issuer as OpenID Connect Discovery 1.0, section 3, has it. Kept as it is written: tokens are compared with it. */
function readIssuer(variable: string, raw: string): string {
  const url = URL.parse(raw);
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!url || !isSafe || /[?#@]/.test(raw))
    throw mustBe(variable, 'an https address, such as https://login.example.com', raw);
  if (
    url.hostname === 'login.microsoftonline.com' &&
    /^\/(common|organizations|consumers)\b/.test(url.pathname)
  )
    throw mustBe(
      variable,
      'the issuer of your own tenant, https://login.microsoftonline.com/TENANT-ID/v2.0: with this one people of any company could sign in',
      raw,
    );
  if (raw.includes('/.well-known/'))
    throw mustBe(variable, 'the issuer alone, without /.well-known/openid-configuration', raw);
  return raw;
}

function readScopes(variable: string, raw: string): string {
  const scopes = raw.split(/[ ,]+/).filter((scope) => scope !== '');
  // RFC 6749, section 3.3.
  if (
    !scopes.includes('openid') ||
    !scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
  )
    throw mustBe(variable, 'scopes with spaces between, openid among them', raw);
  return scopes.join(' ');
}
