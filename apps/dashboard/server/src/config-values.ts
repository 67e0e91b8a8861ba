import { isIP } from 'node:net';
import { type Env, mustBe, text } from '@petstore/service/environment.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { canonicalHost } from './edge/host.ts';

// Readers of environment variables. Each throws a UserError that names the variable, what it must be, and what it was,
// unless that may be a secret.

export function secretKey(env: Env, name: string): Buffer | undefined {
  const raw = text(env, name);
  if (raw === undefined) return undefined;
  const key = Buffer.from(raw, 'base64');
  if (key.length === 32 && /^[A-Za-z0-9+/]{43}=$/.test(raw)) return key;
  // The value is not shown: it may be a mistyped key.
  throw new UserError(
    `${name} must be 32 random bytes in base64, as "openssl rand -base64 32" prints them.`,
  );
}

/** The address in a variable's value; undefined for an empty one. */
export function httpsUrl(name: string, raw: string | undefined): string | undefined {
  if (raw === undefined || raw === '') return undefined;
  // RFC 8555, section 6.1: requests to an authority must use TLS.
  if (URL.canParse(raw) && new URL(raw).protocol === 'https:') return new URL(raw).href;
  throw mustBe(
    name,
    'an https address, such as https://acme-v02.api.letsencrypt.org/directory',
    raw,
  );
}

export function email(env: Env, name: string): string | undefined {
  const raw = text(env, name);
  // Only catches mistakes: the authority decides whether the address is valid.
  if (raw === undefined || /^[^\s@,:?<>]+@[^\s@,?<>]+\.[^\s@,?<>.]+$/.test(raw)) return raw;
  throw mustBe(name, 'one e-mail address, such as ops@example.com', raw);
}

/** The challenges in a variable's value; all for an empty one. */
export function challenges(name: string, raw: string): ChallengeType[] {
  const listed = entriesOf(raw);
  const wrong = listed.find((entry) => !isChallengeType(entry));
  if (wrong !== undefined && NOT_YET.includes(wrong)) {
    throw new UserError(
      `${name} has ${wrong}, which no authority offers in production yet: use ${CHALLENGE_TYPES.join(', ')}.`,
    );
  }
  if (wrong !== undefined) throw mustBe(name, `a list of ${CHALLENGE_TYPES.join(', ')}`, raw);
  return listed.length > 0 ? listed.filter(isChallengeType) : [...CHALLENGE_TYPES];
}

const CHALLENGE_TYPES = ['http-01', 'tls-alpn-01'] as const;
export type ChallengeType = (typeof CHALLENGE_TYPES)[number];

/** Drafts, which authorities have in tests alone. */
const NOT_YET: readonly string[] = ['dns-account-01', 'dns-persist-01'];

function isChallengeType(entry: string): entry is ChallengeType {
  return CHALLENGE_TYPES.some((type) => type === entry);
}

/** The host names in a variable's value. */
export function hostNames(name: string, raw: string): string[] {
  return entriesOf(raw).map((entry) => {
    const host = canonicalHost(entry);
    if (host === undefined) {
      throw mustBe(name, 'host names, separated by commas, such as letsencrypt.org', raw);
    }
    return host;
  });
}

/** `ip:port`, `ip`, `[ip]:port`: the port is 53 where there is none. */
export function nameServers(env: Env, name: string): string[] {
  return list(env, name).map((entry) => {
    const [, bracketed, plain, port = '53'] =
      /^(?:\[([0-9a-f:.]+)\]|([0-9.]+|[0-9a-f:.]*:[0-9a-f.]*:[0-9a-f:.]*))(?::(\d{1,5}))?$/i.exec(
        entry,
      ) ?? [];
    const address = bracketed ?? plain ?? '';
    if (!isIP(address) || Number(port) < 1 || Number(port) > 65_535) {
      throw mustBe(
        name,
        'addresses of name servers with their ports, separated by commas, such as 192.0.2.53:53',
        whole(env, name),
      );
    }
    return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
  });
}

export interface MailConfig {
  /** smtp:// or smtps://, with a user and password where needed. */
  readonly smtpUrl: string;
  readonly from: string;
}

export function mail(env: Env): MailConfig | undefined {
  const smtpUrl = text(env, 'SMTP_URL');
  const from = text(env, 'SMTP_FROM');
  if (smtpUrl === undefined && from === undefined) return undefined;
  const isSmtp = smtpUrl !== undefined && /^smtps?:\/\/[^/]/.test(smtpUrl) && URL.canParse(smtpUrl);
  // Not shown: it may hold a password.
  if (!isSmtp)
    throw new UserError('SMTP_URL must be an smtp or smtps address, such as smtp://localhost:25.');
  if (from === undefined || !from.includes('@')) {
    throw mustBe(
      'SMTP_FROM',
      'the address that mail comes from, such as docs@example.com',
      from ?? '',
    );
  }
  return { smtpUrl, from };
}

function whole(env: Env, name: string): string {
  return text(env, name) ?? '';
}

/** The entries of a list that is separated by commas. */
export function list(env: Env, name: string): string[] {
  return entriesOf(whole(env, name));
}

function entriesOf(raw: string): string[] {
  return raw
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

export function hostName(env: Env, name: string, fallback: string): string {
  const raw = text(env, name) ?? fallback;
  const host = canonicalHost(raw);
  if (host === undefined || host !== raw.toLowerCase()) {
    throw mustBe(name, 'a host name without port, such as docs.example.com', raw);
  }
  return host;
}

/** An http or https address without path, in its canonical spelling. */
export function origin(env: Env, name: string): string | undefined {
  const raw = text(env, name);
  if (raw === undefined) return undefined;
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  const isOrigin =
    url !== undefined && `${url.origin}/` === url.href && /^https?:$/.test(url.protocol);
  if (!isOrigin)
    throw mustBe(
      name,
      'an http or https address without a path, such as https://docs.example.com',
      raw,
    );
  return url.origin;
}

/** Addresses and blocks (`10.0.0.0/8`), separated by commas. */
export function networks(env: Env, name: string): string[] {
  const listed = list(env, name);
  for (const entry of listed) {
    const [address = '', bits] = entry.split('/');
    const width = isIP(address) === 4 ? 32 : 128;
    const isBlock = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width);
    if (!isIP(address) || !isBlock) {
      throw mustBe(
        name,
        'IP addresses or blocks such as 10.0.0.0/8, separated by commas',
        whole(env, name),
      );
    }
  }
  return listed;
}
