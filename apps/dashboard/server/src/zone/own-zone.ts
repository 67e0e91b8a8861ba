import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type NameServer, startNameServer } from '@petstore/dns-server/name-server.ts';
import type { Zone, ZoneRecord } from '@petstore/dns-server/zone-record.ts';
import { explainListenError } from '@petstore/service/listen.ts';
import type { Log } from '@petstore/service/log.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { platformCertificates } from '../certificates/platform-names.ts';
import type { Config } from '../config.ts';
import { KEY_LABEL, keyTexts } from '../domain-connect/signing-key.ts';
import { openDatabase } from '../store/open-database.ts';
import { listDnsChallenges, serialOf } from '../store/own-zone.ts';
import { platformChallenges } from '../store/platform-certificates.ts';
import type { Db } from '../store/schema.ts';
import type { ZoneConfig } from './zone-config.ts';
import { withSoa, zoneRecords } from './zone-records.ts';

/** How often the store is asked what the zone has, in milliseconds. A process is never later than that. */
const FOLLOW_MS = 250;

/** The TTL of the key of Domain Connect, in seconds. */
const KEY_TTL = 300;

/** How often the log says that queries are too many, in milliseconds. */
const LIMITED_LOG_MS = 60_000;

/** The name server of the installation's own zone, in this process. */
export interface OwnZone {
  readonly port: number;
  close(): Promise<void>;
}

interface OwnZoneOptions {
  readonly db: Db;
  readonly log: Log;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** What the zone has now, with its serial. Rejects where the store is unavailable. */
export async function readOwnZone(
  zone: ZoneConfig,
  config: Pick<Config, 'platformHost' | 'dnsZone' | 'domain'>,
  { db, now }: Pick<OwnZoneOptions, 'db' | 'now'>,
): Promise<Zone> {
  const [challenges, platform] = await Promise.all([listDnsChallenges(db), platformChallenges(db)]);
  const certificates = platformCertificates(config);
  const own = platform.flatMap(({ hostname, keyAuthorization }) => {
    const label = certificates.find((one) => one.hostname === hostname)?.label;
    return label === undefined ? [] : [{ label, keyAuthorization }];
  });
  const keys = (await keyTexts(db)).map((data): ZoneRecord => {
    return { name: `${KEY_LABEL}.${zone.name}`, type: 'TXT', ttl: KEY_TTL, data };
  });
  const records = [...zoneRecords(zone, config, [...challenges, ...own]), ...keys];
  const content = createHash('sha256').update(JSON.stringify(records)).digest('base64url');
  return withSoa(zone, records, await serialOf(db, zone.name, content, now()));
}

/**
 * Answers for the installation's own zone, and follows the store. Any number of processes may do so on one database:
 * they answer the same. While the store is unavailable they go on with what they have. undefined where there is no
 * DNS_ZONE. Rejects with UserError where it cannot listen.
 */
export async function startOwnZone(
  config: Config,
  { db, log, now }: OwnZoneOptions,
): Promise<OwnZone | undefined> {
  const { dnsZone } = config;
  if (!dnsZone) return undefined;
  const read = () => readOwnZone(dnsZone, config, { db, now });
  let shown = await read();
  const server = await listen(dnsZone, shown, log);
  const stopping = new AbortController();
  let isAway = false;
  let limited = { count: 0, at: 0 };

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sleep(FOLLOW_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      try {
        const next = await read();
        if (JSON.stringify(next) !== JSON.stringify(shown)) server.setZone(next);
        shown = next;
        isAway = false;
      } catch (error) {
        if (!isAway) log.warn({ err: error }, 'the zone could not be read; it stays as it is');
        isAway = true;
      }
      limited = tellLimited(server, limited);
    }
  }

  function tellLimited({ counts }: NameServer, { count, at }: typeof limited) {
    const total = counts().limited;
    if (total === count || now() - at < LIMITED_LOG_MS) return { count, at };
    log.warn({ responses: total - count }, 'DNS queries of one network are too many');
    return { count: total, at: now() };
  }

  const following = follow();
  log.info({ zone: dnsZone.name, port: server.port }, 'answering DNS queries');
  return {
    port: server.port,
    async close() {
      stopping.abort();
      await following;
      await server.close();
    },
  };
}

async function listen(
  { hosts, port, responsesPerSecond: perSecond }: ZoneConfig,
  zone: Zone,
  log: Log,
): Promise<NameServer> {
  try {
    return await startNameServer({
      ...{ hosts, port, zone },
      // After a pause a resolver may ask for much at once.
      ...(perSecond !== undefined && { rate: { perSecond, burst: 2 * perSecond } }),
      onCrash: (error) => log.error({ err: error }, 'the name server failed, and starts again'),
    });
  } catch (error) {
    const { host = hosts[0] ?? '' } = error as { host?: string };
    const variables = { hostVariable: 'DNS_HOST', portVariable: 'DNS_PORT' };
    const explained = explainListenError(error as NodeJS.ErrnoException, {
      ...{ host, port, ...variables },
    });
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE' && port === 53;
    if (!isTaken) throw explained;
    // The usual program there, and usual advice of another port would lead no authority here.
    throw new UserError(
      `Port 53 on ${host} is in use, by another name server. systemd-resolved has it at 127.0.0.53 and not elsewhere: name this machine's own addresses in DNS_HOST rather than 0.0.0.0, or set DNSStubListener=no in /etc/systemd/resolved.conf. Or forward port 53 to a free one, and set DNS_PORT to that.`,
    );
  }
}

/** The same with a connection to the database of its own, which is closed with it. */
export async function openOwnZone(config: Config, log: Log): Promise<OwnZone | undefined> {
  if (!config.dnsZone) return undefined;
  const { db, close } = await openDatabase(config.databaseUrl, 1);
  try {
    const zone = await startOwnZone(config, { db, log, now: Date.now });
    return (
      zone && {
        ...zone,
        async close() {
          await zone.close();
          await close();
        },
      }
    );
  } catch (error) {
    await close();
    throw error;
  }
}
