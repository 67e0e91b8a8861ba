import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import { Metrics } from '../../telemetry/instruments.ts';
import { DEFAULT_MAX_QUEUED_WRITES, type Store, type StoreOptions } from '../store.ts';
import { WriteHealth } from '../write-health.ts';
import { ActiveKeys } from './active-keys.ts';
import { postgresAudit } from './audit.ts';
import { postgresCategories } from './categories.ts';
import { checkDatabase, checkWriter } from './check.ts';
import { PostgresClient } from './client.ts';
import { CreateQueue } from './create-queue.ts';
import { idempotentWriter, postgresIdempotentResults } from './idempotency.ts';
import { postgresKeys } from './keys.ts';
import { prepareDatabase } from './open.ts';
import { postgresOrders } from './orders.ts';
import { postgresPets } from './pets.ts';
import { postgresQuotas } from './quotas.ts';
import { RevocationListener } from './revocation-listener.ts';

/**
 * Ten connections keep a database of a few cores busy, and many processes of the service fit below
 * PostgreSQL's usual limit of 100. Each process has one more, which listens.
 */
const DEFAULT_POOL_SIZE = 10;

/**
 * Opens the engine for many processes and machines on a PostgreSQL database, whose schema it brings
 * up to date. Rejects with UserError for what the person can mend.
 */
export async function openPostgresStore(
  address: PostgresAddress,
  {
    poolSize = DEFAULT_POOL_SIZE,
    maxQueuedWrites = DEFAULT_MAX_QUEUED_WRITES,
    mustExist,
    log,
    metrics = new Metrics(),
  }: StoreOptions,
): Promise<Store> {
  const client = new PostgresClient(address, poolSize);
  const active = new ActiveKeys();
  const listener = new RevocationListener(address, active, log);
  const close = async () => {
    await Promise.all([listener.close(), client.close()]);
  };
  try {
    await prepareDatabase(client, address, { mustExist });
    await listener.start();
  } catch (error) {
    await close();
    throw error;
  }
  const writeIdempotently = idempotentWriter(client);
  tellOfPool(metrics, client, poolSize);
  const health = new WriteHealth();
  const queue = new CreateQueue(client, maxQueuedWrites, health, metrics);
  return {
    pets: postgresPets(client, queue, writeIdempotently),
    categories: postgresCategories(client, writeIdempotently),
    orders: postgresOrders(client, writeIdempotently),
    idempotentResults: postgresIdempotentResults(client),
    keys: postgresKeys(client, active),
    audit: postgresAudit(client),
    sharedQuotas: postgresQuotas(client),
    writeQueue: queue,
    checks: {
      database: () => checkDatabase(client),
      writer: () => checkWriter(client, health),
    },
    close,
  };
}

function tellOfPool(metrics: Metrics, client: PostgresClient, size: number): void {
  const name = 'petstore_database';
  metrics.gauge(`${name}_connections_max`, 'Connections at most.', () => size);
  metrics.gauge(`${name}_connections_active`, 'Connections at work.', () => client.load.active);
  metrics.gauge(`${name}_waiting`, 'What waits for a connection.', () => client.load.waiting);
}
