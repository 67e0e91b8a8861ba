import {
  databasePlace,
  IN_MEMORY,
  sqlitePath,
  withoutPassword,
} from '@petstore/service/database-url.ts';
import { baseUrls } from '../addresses.ts';
import { type Config, DEFAULT_DATABASE_URL } from '../config.ts';
import { generateKey } from '../keys/key.ts';
import { isValid } from '../keys/key-rules.ts';
import { replicaAddresses } from '../store/open-store.ts';
import { DATABASE_VARIABLE } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import type { BannerFacts } from './banner.ts';

interface Start {
  readonly version: string;
  /** The port that the service listens on. */
  readonly port: number;
  /** Whether to create a key where the store has none. */
  readonly firstKey?: boolean;
}

/** The facts for the banner of a service that has just begun to listen. Creates the first key where one is wanted. */
export async function factsOf(
  store: Store,
  config: Config,
  { version, port, firstKey }: Start,
): Promise<BannerFacts> {
  const isInMemory = sqlitePath(config.databaseUrl) === IN_MEMORY;
  // Nobody else can create a key for a store in memory.
  const key = firstKey || isInMemory ? await makeFirstKey(store, config) : undefined;
  return {
    version,
    environment: config.environment,
    baseUrl: baseUrls(config, port)[config.environment],
    data: dataPlace(config),
    firstKey: key,
    settings: settingsOf(config),
    hasKeys: (await store.keys.list()).some((key) => isValid(key, new Date())),
  };
}

async function makeFirstKey(store: Store, config: Config): Promise<string | undefined> {
  const made = generateKey('first key', config.environment, new Date());
  return (await store.keys.addFirst(made)) ? made.key : undefined;
}

/**
 * The variables without which `petstore keys` would use another store, or create a key for another environment.
 * undefined for a value that must not be shown.
 */
function settingsOf({ environment, databaseUrl }: Config): Record<string, string | undefined> {
  const isPublic = withoutPassword(databaseUrl) === databaseUrl;
  const file = process.env.PETSTORE_DATABASE_URL_FILE;
  return {
    ...(environment !== 'production' && { PETSTORE_ENV: environment }),
    ...(file
      ? { PETSTORE_DATABASE_URL_FILE: file }
      : databaseUrl !== DEFAULT_DATABASE_URL && {
          PETSTORE_DATABASE_URL: isPublic ? databaseUrl : undefined,
        }),
  };
}

function dataPlace({ databaseUrl, databaseReplicaUrls }: Config): string {
  const isInMemory = sqlitePath(databaseUrl) === IN_MEMORY;
  if (isInMemory) return 'in memory, gone when the process ends';
  const replicas = replicaAddresses(databaseReplicaUrls).map(({ server }) => server);
  const place = databasePlace(DATABASE_VARIABLE, databaseUrl);
  return replicas.length > 0 ? `${place}, read from ${replicas.join(' and ')}, too` : place;
}
