import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCertifiable, listRenewable } from '../../server/src/store/certificates.ts';
import type { Row } from '../../server/src/store/schema.ts';
import { openTestDatabase, putProject } from '../support/store.ts';
import { putCertificateRow, putVerifiedDomain } from './support/lab.ts';

type Domain = Partial<Pick<Row<'domains'>, 'prepare' | 'awaits_move' | 'moved_away_at'>>;

// Who is renewed while the name's own record leads elsewhere: whoever is proven by the record of the challenges.
const CASES: readonly [title: string, domain: Domain, challengeHere: number, isRenewed: boolean][] =
  [
    ['here', {}, 0, true],
    ['moved away', { moved_away_at: Date.now() }, 0, false],
    ['here, prepared, and the record is gone', { prepare: 1 }, 0, true],
    ['prepared, and waits for its move', { prepare: 1, awaits_move: 1 }, 1, true],
    ['waits for its move, and the record is gone', { prepare: 1, awaits_move: 1 }, 0, false],
    ['moved away, and the record is there', { prepare: 1, moved_away_at: Date.now() }, 1, true],
    ['moved away long ago', { prepare: 1, moved_away_at: 1 }, 1, false],
    ['moved away, no longer prepared', { moved_away_at: Date.now() }, 1, false],
  ];

test('a certificate is renewed where its name, or the record of its challenges, leads here', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'petstore', 'pro');
  for (const [index, [title, domain, challenge_here, isRenewed]] of CASES.entries()) {
    const hostname = `d${index}.example.test`;
    const id = await putVerifiedDomain(db, hostname);
    await db.deleteFrom('issuances').execute();
    await putCertificateRow(db, id, { hostname, renew_at: 0 });
    if (Object.keys(domain).length > 0)
      await db.updateTable('domains').set(domain).where('id', '=', id).execute();
    const times = { checked_at: 0, began_at: 0, attempts: 1, next_check_at: null };
    await db
      .insertInto('domain_checks')
      .values({ domain_id: id, verdict: null, points_here: 0, challenge_here, ...times })
      .execute();
    const due = (await listRenewable(db, Date.now(), 100)).map((one) => one.hostname);
    assert.equal(due.includes(hostname), isRenewed, title);
    assert.ok(await findCertifiable(db, id), 'and it is served all the same');
  }
});
