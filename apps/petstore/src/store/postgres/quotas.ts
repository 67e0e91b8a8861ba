import sql from 'sql-template-tag';
import type { Share, SharedQuotas } from '../../rate-limits/quota.ts';
import type { PostgresClient } from './client.ts';

/** The quotas of keys, which all processes on one database take shares of (migrations.ts). */
export function postgresQuotas(client: PostgresClient): SharedQuotas {
  return {
    async take(keyId, { requests, windowSeconds }, wanted) {
      const share = await client.run((db) =>
        db.row<Share>(sql`
          SELECT requests, "left", ends_in_ms AS "endsInMs"
          FROM petstore_take_quota(
            ${keyId}, ${requests}::bigint, make_interval(secs => ${windowSeconds}::int),
            ${wanted}::bigint)`),
      );
      if (!share) throw new Error('petstore_take_quota gave no row');
      return share;
    },
  };
}
