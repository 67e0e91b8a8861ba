import type { Connection } from '@petstore/postgres/connection.ts';
import { Metrics } from '@petstore/service/metrics/instruments.ts';
import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import sql from 'sql-template-tag';
import { IdempotencyKeysUnderWay } from '../../idempotency/idempotency-keys-under-way.ts';
import type { Share, SharedQuotas } from '../../rate-limits/quota.ts';
import type { Store } from '../store.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { DEFAULT_MAX_QUEUED_WRITES, type StoreOptions } from '../store-options.ts';
import { WebhookStore } from '../webhooks/webhook-store.ts';
import { WriteHealth } from '../write-health.ts';
import { ActiveKeys } from './active-keys.ts';
import { postgresAudit } from './audit.ts';
import { postgresCategories } from './categories.ts';
import { checkReads, checkWrites } from './check.ts';
import { type Clients, openClients, type PostgresClient, serverOf } from './client.ts';
import { CreateQueue } from './create-queue.ts';
import { postgresEventLogs } from './event-logs.ts';
import { postgresFaults } from './faults.ts';
import { idempotentWriter, postgresIdempotentResults } from './idempotency.ts';
import { postgresKeys } from './keys.ts';
import { prepareDatabase } from './open.ts';
import { postgresOrders } from './orders.ts';
import { PartitionKeeper } from './partitions.ts';
import { postgresPets } from './pets.ts';
import { ReplicaReads } from './replicas/replica-reads.ts';
import { postgresReports } from './reports.ts';
import { RevocationListener } from './revocation-listener.ts';
import { postgresSandboxes } from './sandboxes.ts';
import { postgresRunner } from './sql-runner.ts';

/**
 * Ten connections keep a database of a few cores busy, and many processes of the service fit below
 * PostgreSQL's usual limit of 100. Four of them write. Each process has one more, which listens.
 */
const DEFAULT_POOL_SIZE = 10;

/**
 * Opens the engine for many processes and machines on a PostgreSQL database, whose schema it brings up to date, and
 * reads from its standbys, where there are some. Rejects with UserError for problems that the user can fix.
 */
export async function openPostgresStore(
  address: PostgresAddress,
  replicaAddresses: readonly PostgresAddress[],
  {
    poolSize = DEFAULT_POOL_SIZE,
    maxQueuedWrites = DEFAULT_MAX_QUEUED_WRITES,
    mustExist,
    onMigration,
    log,
    metrics = new Metrics(),
  }: StoreOptions,
): Promise<Store> {
  const server = serverOf(address);
  const clients = openClients(server, poolSize);
  const { reads, writes } = clients;
  const active = new ActiveKeys();
  const onSilence = (isSilent: (connection: Connection) => boolean) => {
    reads.discardAll(isSilent);
    writes.discardAll(isSilent);
  };
  const listener = new RevocationListener(server, active, { log, onSilence });
  const replicas =
    replicaAddresses.length > 0
      ? new ReplicaReads(replicaAddresses, clients, { size: poolSize, log, metrics })
      : undefined;
  const partitions = new PartitionKeeper(server, log);
  const close = async () => {
    await Promise.all([partitions.close(), listener.close(), replicas?.close()]);
    await Promise.all([reads.close(), writes.close()]);
  };
  try {
    await prepareDatabase(server, { mustExist, onMigration });
    await listener.start();
    await replicas?.start();
  } catch (error) {
    await close();
    throw error;
  }
  tellOfPools(metrics, clients, poolSize);
  const keysUnderWay = new IdempotencyKeysUnderWay();
  const writeIdempotently = idempotentWriter(writes, keysUnderWay);
  const health = new WriteHealth();
  const queue = new CreateQueue(writes, maxQueuedWrites, { health, metrics, keysUnderWay });
  const resources = { pages: replicas ?? reads, writes };
  return {
    pets: postgresPets(resources, queue),
    categories: postgresCategories(resources, writeIdempotently),
    orders: postgresOrders(resources, writeIdempotently),
    idempotentResults: postgresIdempotentResults(writes),
    keys: postgresKeys(clients, active),
    audit: postgresAudit(clients),
    events: postgresEventLogs(clients),
    sandboxes: postgresSandboxes(clients),
    webhooks: new WebhookStore(postgresRunner(clients)),
    faults: postgresFaults(clients),
    reports: postgresReports(clients),
    // On the connections for reads, which lead to the primary: standbys lack this UNLOGGED table.
    sharedQuotas: postgresQuotas(reads),
    writeQueue: queue,
    checks: { reads: () => checkReads(reads), writes: () => checkWrites(writes, health) },
    close,
  };
}

function tellOfPools(metrics: Metrics, { reads, writes }: Clients, size: number): void {
  const name = 'petstore_database';
  const sum = (what: 'active' | 'waiting') =>
    reads === writes ? reads.load[what] : reads.load[what] + writes.load[what];
  metrics.gauge(`${name}_connections_max`, 'Connections at most.', () => size);
  metrics.gauge(`${name}_connections_active`, 'Connections at work.', () => sum('active'));
  metrics.gauge(`${name}_waiting`, 'What waits for a connection.', () => sum('waiting'));
}

/**
 * The quotas of keys, of which all processes on one database take shares (migrations.ts). A standby does not have them:
 * their table is not in the log.
 */
function postgresQuotas(client: PostgresClient): SharedQuotas {
  return {
    async take(keyId, { requests, windowSeconds }, wanted) {
      const share = await client.row<Share>(sql`
        SELECT requests, "left", ends_in_ms AS "endsInMs"
        FROM petstore_take_quota(
          ${keyId}, ${requests}::bigint, make_interval(secs => ${windowSeconds}::int),
          ${wanted}::bigint)
        WHERE current_setting('transaction_read_only') = 'off'`);
      if (!share) throw new StoreUnavailableError('the quotas are on a server that takes writes');
      return share;
    },
  };
}
