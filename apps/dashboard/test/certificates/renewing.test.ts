import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { RenewalInfo } from '../../server/src/certificates/acme-client.ts';
import { ProblemError, UnreachableError } from '../../server/src/certificates/acme-transport.ts';
import {
  askWhenToRenew,
  isExpiringSoon,
  renewalTime,
  startRenewals,
  timeInWindow,
  warnOfExpiry,
} from '../../server/src/certificates/renewal.ts';
import type { CertificateRow } from '../../server/src/store/certificates.ts';
import { HERE, type Made, NOW, openAttempt } from './support/attempt.ts';
import { certificateOf, eventsOf, putVerifiedDomain } from './support/lab.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Domains with a certificate each and no issuance, and what the authority says of when to renew. */
async function withCertificates(
  t: TestContext,
  changes: readonly Partial<CertificateRow>[],
  renewalInfo: (ariId: string) => Promise<RenewalInfo | undefined> = async () => undefined,
) {
  const made = await openAttempt(t, { client: { renewalInfo } });
  const ids: string[] = [];
  for (const [at, change] of changes.entries()) {
    const hostname = `n${at}.example.test`;
    const id = await putVerifiedDomain(made.db, hostname, NOW);
    ids.push(id);
    const row: CertificateRow = {
      ...{ domain_id: id, hostname, chain: '', sealed_key: '', issuer: 'x', serial: `${at}` },
      ...{ not_before: NOW - 60 * DAY_MS, not_after: NOW + 30 * DAY_MS, issued_at: NOW - DAY_MS },
      ...{ renew_at: NOW, ari_id: `ari-${at}`, ari_check_at: NOW, directory_url: null },
      ...change,
    };
    await made.db.insertInto('certificates').values(row).execute();
  }
  await made.db.deleteFrom('issuances').execute();
  const ask = (signal = new AbortController().signal) =>
    askWhenToRenew(made.deps, made.accounts, signal);
  const [first = ''] = ids;
  return { ...made, ids, first, ask };
}

const certificate = async ({ db }: Pick<Made, 'db'>, id: string) => {
  const row = await certificateOf(db, id);
  assert.ok(row);
  return row;
};

test('a certificate is renewed after two thirds of its life, a twentieth sooner at random', () => {
  const life = { notBefore: 1_000_000, notAfter: 1_000_000 + 90 * DAY_MS };
  assert.equal(renewalTime(life, 0), 1_000_000 + 60 * DAY_MS);
  assert.equal(renewalTime(life, 1), 1_000_000 + 55.5 * DAY_MS);
});

test('in a window of the authority, an instant is drawn once and kept for as long as it is in it', () => {
  const window = { start: 1_000, end: 2_000 };
  for (const drawn of [1_000, 1_500, 2_000]) assert.equal(timeInWindow(window, drawn, 0.7), drawn);
  for (const drawn of [999, 2_001]) assert.equal(timeInWindow(window, drawn, 0.7), 1_700);
});

test('people are warned in the last 14 days, or the last sixth of a short life', () => {
  const cases: [number, number][] = [
    [90, 14],
    [84, 14],
    [83, 83 / 6],
    [6, 1],
  ];
  for (const [days, left] of cases) {
    const life = { notBefore: 0, notAfter: days * DAY_MS };
    const from = life.notAfter - left * DAY_MS;
    assert.equal(isExpiringSoon(life, Math.floor(from)), false, `${days}`);
    assert.equal(isExpiringSoon(life, Math.floor(from) + 1), true, `${days}`);
  }
  const later = { notBefore: 1_000 * DAY_MS, notAfter: 1_006 * DAY_MS };
  assert.equal(isExpiringSoon(later, 1_004 * DAY_MS), false);
});

test('what is due for renewal is renewed at the directory that is configured, once', async (t) => {
  const made = await withCertificates(t, [{ renew_at: NOW }, { renew_at: NOW + 1 }]);
  assert.equal(await startRenewals(made.deps), true);
  const rows = await made.db.selectFrom('issuances').selectAll().execute();
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      {
        ...{ domain_id: made.first, hostname: 'n0.example.test', kind: 'renewal' },
        ...{ step: 'account', step_at: NOW, requested_at: NOW, directory_url: HERE },
        ...{ order_url: null, sealed_key: null, failures: 0, next_attempt_at: NOW },
        ...{ last_problem: null, tried: '[]', leased_by: null, leased_until: null },
      },
    ],
  );
  assert.equal(await startRenewals(made.deps), false);
});

test('the authority says when to renew, and when to ask again', async (t) => {
  const info = { start: NOW + DAY_MS, end: NOW + 2 * DAY_MS };
  const cases: [string | undefined, number][] = [
    [undefined, 6 * HOUR_MS],
    ['7200', 2 * HOUR_MS],
    ['1', MINUTE_MS],
    ['604800', DAY_MS],
  ];
  const changes = cases.map(() => ({}));
  const asked = await withCertificates(t, changes, async (ari) => ({
    ...{ ...info, retryAfter: cases[Number(ari.slice(4))]?.[0] },
  }));
  await asked.ask();
  for (const [at, id] of asked.ids.entries()) {
    const row = await certificate(asked, id);
    assert.ok(row.renew_at >= info.start && row.renew_at <= info.end);
    assert.equal(row.ari_check_at, NOW + (cases[at]?.[1] ?? 0));
    assert.equal(row.ari_id, `ari-${at}`);
  }
});

test('a certificate is renewed after five sixths of its life, however late the authority says', async (t) => {
  const late = NOW + 29 * DAY_MS;
  const soon = NOW + 14 * DAY_MS;
  const made = await withCertificates(t, [{}, {}], async (ari) => {
    const at = ari === 'ari-0' ? late : soon;
    return { start: at, end: at, retryAfter: undefined };
  });
  await made.ask();
  const times = made.ids.map(async (id) => (await certificate(made, id)).renew_at);
  assert.deepEqual(await Promise.all(times), [NOW + 15 * DAY_MS, soon]);
});

test('no more is asked than is due, and nothing of what has no id at the authority', async (t) => {
  const later = { ari_check_at: NOW + 1 };
  const made = await withCertificates(
    t,
    [later, { ari_id: null }, { ari_check_at: null }, {}],
    async () => ({
      ...{ start: NOW + 1, end: NOW + 1, retryAfter: undefined },
    }),
  );
  await made.ask();
  assert.deepEqual(made.asked, ['renewalInfo ari-3']);
  const aborted = new AbortController();
  aborted.abort();
  const none = await withCertificates(t, [{}]);
  await none.ask(aborted.signal);
  assert.deepEqual(none.asked, []);
});

test('more than fifty certificates are asked about in turn', async (t) => {
  const changes = Array.from({ length: 51 }, () => ({}));
  const info = { start: NOW + 1, end: NOW + 1, retryAfter: undefined };
  const made = await withCertificates(t, changes, async () => info);
  await made.ask();
  assert.equal(made.asked.length, 51);
  await made.db.updateTable('certificates').set({ renew_at: NOW }).execute();
  assert.equal(await startRenewals(made.deps), true);
  const started = await made.db.selectFrom('issuances').select('domain_id').execute();
  assert.equal(started.length, 50);
});

test('where the authority does not respond, no other certificate is asked about, and all are in an hour', async (t) => {
  const away = new UnreachableError('away', { isTimeout: false });
  const answers: [() => Promise<undefined>, string[]][] = [
    [async () => undefined, []],
    [() => Promise.reject(away), ['n.example.test: the authority did not say when to renew']],
  ];
  for (const [answer, told] of answers) {
    const made = await withCertificates(t, Array(51).fill({}), answer);
    await made.ask();
    assert.equal(made.asked.length, 1);
    const logged = made.logged.map((line) => line.replace(/^n\d+/, 'n'));
    assert.deepEqual(logged, told);
    const rows = await made.db.selectFrom('certificates').selectAll().execute();
    assert.equal(rows.filter((row) => row.ari_check_at === NOW + HOUR_MS).length, 50);
    assert.ok(rows.every(({ renew_at, ari_id }) => renew_at === NOW && ari_id !== null));
  }
});

test('a certificate that the authority does not know is not asked about again, and others are', async (t) => {
  const refused = (status: number) => new ProblemError({ type: 'malformed', detail: 'no', status });
  const made = await withCertificates(t, [{ renew_at: NOW + 7 }, {}], () =>
    Promise.reject(refused(404)),
  );
  await made.ask();
  assert.equal(made.asked.length, 2);
  assert.deepEqual(made.logged, []);
  const { ari_id, ari_check_at, renew_at } = await certificate(made, made.first);
  assert.deepEqual([ari_id, ari_check_at, renew_at], [null, null, NOW + 7]);
  const failing = await withCertificates(t, [{}, {}], () => Promise.reject(refused(500)));
  await failing.ask();
  assert.equal(failing.asked.length, 2);
  assert.equal(failing.logged.length, 2);
  assert.equal((await certificate(failing, failing.first)).ari_check_at, NOW + HOUR_MS);
  const defect = await withCertificates(t, [{}], () => Promise.reject(new TypeError('a defect')));
  await assert.rejects(defect.ask(), /a defect/);
});

test('owners are told once of a certificate that ends soon and could not be renewed', async (t) => {
  const soon = { not_after: NOW + 10 * DAY_MS };
  const made = await withCertificates(t, [soon, {}]);
  await made.db
    .insertInto('webhooks')
    .values({
      ...{ id: 'hook', project_id: 'petstore', url: 'https://a.test/', sealed_secret: 's' },
      ...{ created_at: 0, created_by_email: 'ann@example.com' },
    })
    .execute();
  await made.db
    .updateTable('certificates')
    .set({ renew_at: NOW - 1 })
    .execute();
  await startRenewals(made.deps);
  for (let again = 0; again < 2; again++) await warnOfExpiry(made.deps);
  const of = async (id: string) =>
    (await eventsOf(made.db, id)).filter(({ kind }) => kind === 'certificate.expiring');
  assert.deepEqual(await of(made.ids[1] ?? ''), []);
  const events = await of(made.first);
  const notAfter = '2026-12-01T12:00:00.000Z';
  const message = `The certificate of n0.example.test ends on ${notAfter} and could not be renewed yet. The page of the domain tells why.`;
  assert.deepEqual(
    events.map((event) => ({ ...event, details: JSON.parse(event.details ?? '') })),
    [{ kind: 'certificate.expiring', message, details: { notAfter } }],
  );
  const notices = await made.db.selectFrom('notices').select(['type', 'payload']).execute();
  assert.deepEqual(
    notices.map(({ type }) => type),
    ['domain.certificate_expiring'],
  );
  const { data } = JSON.parse(notices[0]?.payload ?? '');
  assert.deepEqual(data, { project: 'petstore', hostname: 'n0.example.test', message, notAfter });
});
