import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { UserError } from '@petstore/service/user-error.ts';

/** A Certificate Transparency log that is followed. */
export interface CtLog {
  /** The SHA-256 of its key, in hexadecimal (RFC 6962, section 3.2). */
  readonly id: string;
  readonly description: string;
  readonly kind: 'static' | 'rfc6962';
  /** What its paths begin with, ending in a slash. */
  readonly url: string;
  /** The first line of its checkpoints. */
  readonly origin: string;
  readonly key: KeyObject;
  /** Its certificates end before this instant, in milliseconds; undefined: at any time. */
  readonly endsAt: number | undefined;
}

/** The states of logs that have nothing to follow: not yet, or no longer. */
const NOT_FOLLOWED = ['pending', 'retired', 'rejected'];

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a list of logs from a file, in version 3 of the format in which browsers publish theirs. Throws a UserError that
 * says what is wrong, and where.
 */
export function readLogList(file: string): CtLog[] {
  const unusable = (why: string) =>
    new UserError(
      `CT_LOG_LIST names ${file}, which ${why}: it must be a log list in version 3 of its format, such as https://www.gstatic.com/ct/log_list/v3/log_list.json.`,
    );
  const list = fieldsOf(parsed(file, unusable)).operators;
  if (!Array.isArray(list)) throw unusable('has no "operators"');
  const logs = list.flatMap((operator) => {
    const { logs: plain, tiled_logs: tiled } = fieldsOf(operator);
    return [
      ...entriesOf(plain).map((log) => logOf('rfc6962', log, log.url, log.url, unusable)),
      ...entriesOf(tiled).map((log) =>
        logOf('static', log, log.monitoring_url, log.submission_url, unusable),
      ),
    ];
  });
  if (logs.length === 0) throw unusable('has no log to follow');
  return [...new Map(logs.map((log) => [log.id, log])).values()];
}

function parsed(file: string, unusable: (why: string) => UserError): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw unusable(code === undefined ? 'is not JSON' : `cannot be read (${code})`);
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function entriesOf(value: unknown): Fields[] {
  const entries = Array.isArray(value) ? value.map(fieldsOf) : [];
  return entries.filter(
    ({ state }) => !Object.keys(fieldsOf(state)).some((name) => NOT_FOLLOWED.includes(name)),
  );
}

function logOf(
  kind: CtLog['kind'],
  { description, key, temporal_interval }: Fields,
  url: unknown,
  submissionUrl: unknown,
  unusable: (why: string) => UserError,
): CtLog {
  const name = String(description ?? url);
  if (!isHttpUrl(url) || !isHttpUrl(submissionUrl))
    throw unusable(`has no http or https address of ${name}`);
  const der = Buffer.from(String(key), 'base64');
  const end = fieldsOf(temporal_interval).end_exclusive;
  const endsAt = end === undefined ? undefined : Date.parse(String(end));
  if (Number.isNaN(endsAt)) throw unusable(`has a "temporal_interval" of ${name} that is no time`);
  return {
    id: createHash('sha256').update(der).digest('hex'),
    description: name,
    kind,
    url: withSlash(url),
    origin: withSlash(submissionUrl).replace(/^https?:\/\/(.*)\/$/, '$1'),
    key: publicKey(der, () => unusable(`has no "key" of ${name} in DER and base64`)),
    endsAt,
  };
}

function isHttpUrl(url: unknown): url is string {
  return typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function publicKey(der: Buffer, wrong: () => Error): KeyObject {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    throw wrong();
  }
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
