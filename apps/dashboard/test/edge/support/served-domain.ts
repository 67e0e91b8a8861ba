import { certificateKeyContext, sealerOf } from '../../../server/src/certificates/sealing.ts';
import { putCertificate } from '../../../server/src/store/certificates.ts';
import type { Db } from '../../../server/src/store/schema.ts';
import { authority } from './certificates.ts';

/** Puts a domain of a project into the store, verified and with a certificate of the tests' authority. */
export async function putServedDomain(
  db: Db,
  { slug, hostname, secretKey }: { slug: string; hostname: string; secretKey: Buffer },
): Promise<void> {
  const id = `dom_${hostname}`;
  const { chain, key } = await authority.issue(hostname);
  const sealed = sealerOf(secretKey, 'the test').seal(key, certificateKeyContext(id));
  const now = Date.now();
  await db.transaction().execute(async (trx) => {
    const project = await trx
      .selectFrom('projects')
      .select('id')
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow();
    const texts = { id, hostname, target_label: id, proof: 'proof', link_secret: id };
    await trx
      .insertInto('domains')
      .values({
        ...texts,
        ...{ project_id: project.id, verified_at: now, holds: 1, created_at: now },
        ...{ created_by_email: 'ann@example.com', hsts_include_subdomains: 0 },
      })
      .execute();
    await putCertificate(trx, {
      ...{ domain_id: id, hostname, chain, sealed_key: sealed, issuer: 'x', serial: 'x' },
      ...{ not_before: now, not_after: now + 3_600_000, issued_at: now, renew_at: now + 3_600_000 },
      ...{ ari_id: null, ari_check_at: null, directory_url: null },
    });
  });
}
