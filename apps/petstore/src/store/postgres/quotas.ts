import sql from 'sql-template-tag';
import type { Share, SharedQuotas } from '../../rate-limits/quota.ts';
import { StoreUnavailableError } from '../store.ts';
import type { PostgresClient } from './client.ts';

/**
 * The quotas of keys, of which all processes on one database take shares (migrations.ts). A standby does not have them:
 * their table is not in the log.
 */
export function postgresQuotas(client: PostgresClient): SharedQuotas {
  return {
    async take(keyId, { requests, windowSeconds }, wanted) {
      const share = await client.run((db) =>
        db.row<Share>(sql`
          SELECT requests, "left", ends_in_ms AS "endsInMs"
          FROM petstore_take_quota(
            ${keyId}, ${requests}::bigint, make_interval(secs => ${windowSeconds}::int),
            ${wanted}::bigint)
          WHERE current_setting('transaction_read_only') = 'off'`),
      );
      if (!share) throw new StoreUnavailableError('the quotas are on a server that takes writes');
      return share;
    },
  };
}
