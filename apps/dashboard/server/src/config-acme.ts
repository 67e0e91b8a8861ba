import { type Env, mustBe, text } from '@petstore/service/environment.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { type ChallengeType, challenges, email, hostNames, httpsUrl } from './config-values.ts';

/** By using it, the operator agrees to its terms: docs/domains-for-operators.md says so. */
const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';

/** Let's Encrypt's limit of orders for an account in three hours, and the one that is kept elsewhere. */
const ORDERS = 300;

/** The least that a limit may be: the dashboard keeps a reserve below it. */
const LEAST_ORDERS = 10;

export interface AcmeConfig {
  /** In the order in which they are asked; their directories differ. */
  readonly authorities: readonly [AuthorityConfig, ...AuthorityConfig[]];
  /** The directory for the first retries, in place of the first authority's; undefined: there is none. */
  readonly stagingDirectoryUrl: string | undefined;
  /** A file in PEM, with an extra root for the directories. */
  readonly caFile: string | undefined;
  /** The contact address, for problems. */
  readonly email: string | undefined;
}

/** A certificate authority. */
export interface AuthorityConfig {
  readonly directoryUrl: string;
  /** Binds the account to one that was arranged before (RFC 8555, section 7.3.4). */
  readonly eab: ExternalAccount | undefined;
  /** The profile of its certificates (draft-ietf-acme-profiles); undefined: the authority's choice. */
  readonly profile: string | undefined;
  /** Its issuer names in CAA records; none: as its directory says. */
  readonly caaIdentities: readonly string[];
  /** In the order in which they are tried. */
  readonly challenges: readonly ChallengeType[];
  /** How many orders the account may make in three hours; undefined: any number. */
  readonly ordersPer3Hours: number | undefined;
}

export interface ExternalAccount {
  readonly kid: string;
  /** In base64url. */
  readonly hmacKey: string;
}

/**
 * Reads the ACME variables. Those of each authority are in the order of ACME_DIRECTORY_URL: separated by commas, or by
 * semicolons where each is a list itself. A place may be empty. Throws a UserError.
 */
export function readAcme(env: Env): AcmeConfig {
  const directoryUrls = directories(env);
  const count = directoryUrls.length;
  const kids = places(env, 'ACME_EAB_KID', count);
  const hmacKeys = places(env, 'ACME_EAB_HMAC_KEY', count);
  const profiles = places(env, 'ACME_PROFILE', count);
  const orders = places(env, 'ACME_ORDERS_PER_3_HOURS', count);
  const identities = listPlaces(env, 'ACME_CAA_IDENTITIES', count);
  const challengeTypes = listPlaces(env, 'ACME_CHALLENGES', count);
  const authorities = directoryUrls.map(
    (directoryUrl, at): AuthorityConfig => ({
      directoryUrl,
      eab: externalAccount(kids[at], hmacKeys[at]),
      profile: profileOf(profiles[at], env),
      caaIdentities: hostNames('ACME_CAA_IDENTITIES', identities[at] ?? ''),
      // One list without a semicolon is for all.
      challenges: challenges(
        'ACME_CHALLENGES',
        challengeTypes[challengeTypes.length === 1 ? 0 : at] ?? '',
      ),
      ordersPer3Hours: ordersOf(orders[at], env),
    }),
  );
  return {
    authorities: authorities as [AuthorityConfig, ...AuthorityConfig[]],
    stagingDirectoryUrl: httpsUrl(
      'ACME_STAGING_DIRECTORY_URL',
      text(env, 'ACME_STAGING_DIRECTORY_URL'),
    ),
    caFile: text(env, 'ACME_CA_FILE'),
    email: email(env, 'ACME_EMAIL'),
  };
}

function directories(env: Env): string[] {
  const name = 'ACME_DIRECTORY_URL';
  const raw = text(env, name);
  const listed = (raw ?? '').split(',').map((entry) => entry.trim());
  const urls = listed.flatMap((entry) => httpsUrl(name, entry) ?? []);
  if (new Set(urls).size < urls.length) {
    throw mustBe(name, 'directories that differ: each authority once', raw ?? '');
  }
  return urls.length > 0 ? urls : [LETS_ENCRYPT];
}

/** The entries of a variable, one for each authority; undefined where a place is empty. */
function places(env: Env, name: string, count: number): (string | undefined)[] {
  return split(text(env, name), ',', name, count);
}

/** The same, of a variable whose entries are lists with commas. */
function listPlaces(env: Env, name: string, count: number): (string | undefined)[] {
  return split(text(env, name), ';', name, count);
}

function split(raw: string | undefined, separator: string, name: string, count: number) {
  if (raw === undefined) return [];
  const entries = raw.split(separator).map((entry) => entry.trim() || undefined);
  if (entries.length <= count) return entries;
  // The value is not shown: it may be secret.
  throw new UserError(
    `${name} has ${entries.length} entries separated by "${separator}", and ACME_DIRECTORY_URL names ${count}: write one for each directory, in the same order. A place may be empty.`,
  );
}

function externalAccount(
  kid: string | undefined,
  hmacKey: string | undefined,
): ExternalAccount | undefined {
  if (kid === undefined && hmacKey === undefined) return undefined;
  if (kid === undefined || hmacKey === undefined) {
    const [given, missing] =
      kid === undefined
        ? ['ACME_EAB_HMAC_KEY', 'ACME_EAB_KID']
        : ['ACME_EAB_KID', 'ACME_EAB_HMAC_KEY'];
    throw new UserError(
      `${given} has an entry for an authority, and ${missing} has none in the same place: the authority gives both.`,
    );
  }
  if (/^[A-Za-z0-9_-]{16,}$/.test(hmacKey)) return { kid, hmacKey };
  throw new UserError(
    'ACME_EAB_HMAC_KEY must be the key as the authority gives it, in base64url: letters, digits, "-" and "_", without "=" at the end.',
  );
}

function profileOf(profile: string | undefined, env: Env): string | undefined {
  if (profile === undefined || /^[\x21-\x7e]{1,64}$/.test(profile)) return profile;
  throw mustBe(
    'ACME_PROFILE',
    'a profile of the authority, such as shortlived',
    text(env, 'ACME_PROFILE') ?? '',
  );
}

function ordersOf(entry: string | undefined, env: Env): number | undefined {
  if (entry === undefined) return ORDERS;
  if (entry === 'unlimited') return undefined;
  if (/^\d{1,9}$/.test(entry) && Number(entry) >= LEAST_ORDERS) return Number(entry);
  throw mustBe(
    'ACME_ORDERS_PER_3_HOURS',
    `a number from ${LEAST_ORDERS}, or unlimited`,
    text(env, 'ACME_ORDERS_PER_3_HOURS') ?? '',
  );
}
