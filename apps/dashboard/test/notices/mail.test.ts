import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { DOMAIN_EVENTS } from '../../server/src/notices/event-types.ts';
import { createMailer } from '../../server/src/notices/mailer.ts';
import {
  queueAccountQuotaNotice,
  queueQuotaNotice,
} from '../../server/src/notices/queue-notice.ts';
import { lockProject } from '../../server/src/store/projects.ts';
import { type Delivery, prepareDelivery, putOwner, until } from './support/delivery.ts';
import { startMailServer } from './support/mail-server.ts';

const FROM = 'Docs <docs@example.com>';
const PUBLIC_URL = 'https://dashboard.example.com';

/** The headers of a mail by their names in lower case, unfolded, and its text. */
function parse(data: string): { headers: Map<string, string>; text: string } {
  const [head = '', ...rest] = data.split('\n\n');
  const lines = head.replaceAll(/\n[ \t]+/g, ' ').split('\n');
  const headers = lines.map((line) => line.split(/: (.*)/s) as [string, string]);
  const text = rest.join('\n\n');
  return {
    headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])),
    text: head.includes('quoted-printable') ? unquoted(text) : text,
  };
}

/** RFC 2045, section 6.7, of ASCII. */
const unquoted = (text: string) =>
  text
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

const ended = ({ notices }: Delivery) =>
  until(
    async () => (await notices()).every(({ next_attempt_at }) => next_attempt_at === null),
    'all have ended',
  );

onBothEngines('every owner is told by e-mail, and nobody else', async (t) => {
  const server = await startMailServer(t);
  const mail = { smtpUrl: server.url(), from: FROM };
  const delivery = await prepareDelivery(t, { mail, publicUrl: PUBLIC_URL });
  await putOwner(delivery.db, 'ann@example.com');
  await putOwner(delivery.db, 'bob@example.com');
  await putOwner(delivery.db, 'eve@example.com', 'editor');
  await delivery.tell({ message: 'docs.example.com is verified. A certificate comes next.' });
  delivery.start();
  await ended(delivery);
  const to = server.mails.flatMap((received) => received.to);
  assert.deepEqual(to.sort(), ['<ann@example.com>', '<bob@example.com>']);
  const [first] = server.mails;
  assert.match(first?.from ?? '', /^<docs@example\.com>/);
  const { headers, text } = parse(first?.data ?? '');
  assert.equal(headers.get('subject'), 'docs.example.com is verified');
  assert.equal(headers.get('from'), FROM);
  assert.equal(headers.get('date'), 'Sat, 21 Nov 2026 12:00:00 +0000');
  assert.equal(headers.get('auto-submitted'), 'auto-generated');
  assert.match(headers.get('message-id') ?? '', /^<msg_[a-z2-7]{24}@example\.com>$/);
  assert.match(headers.get('content-type') ?? '', /^text\/plain; charset=utf-8/);
  assert.equal(
    text,
    `docs.example.com is verified. A certificate comes next.

Domain:  docs.example.com
Project: petstore
${PUBLIC_URL}/projects/petstore/settings/domains/docs.example.com

--\x20
You get this because you own the project in the dashboard at
${PUBLIC_URL}
`,
  );
});

test('each kind of notice has a subject that names the host', async (t) => {
  const server = await startMailServer(t);
  const delivery = await prepareDelivery(t, { mail: { smtpUrl: server.url(), from: FROM } });
  await putOwner(delivery.db, 'ann@example.com');
  for (const type of DOMAIN_EVENTS) await delivery.tell({ type });
  delivery.start();
  await ended(delivery);
  const subjects = server.mails.map(({ data }) => parse(data).headers.get('subject'));
  assert.equal(new Set(subjects).size, DOMAIN_EVENTS.length);
  for (const subject of subjects) assert.match(subject ?? '', /docs\.example\.com/);
});

test('who owns a project that is nearly full is told what to do, and where', async (t) => {
  const server = await startMailServer(t);
  const mail = { smtpUrl: server.url(), from: FROM };
  const delivery = await prepareDelivery(t, { mail, publicUrl: PUBLIC_URL });
  await putOwner(delivery.db, 'ann@example.com');
  for (const percent of [90, 100]) {
    await delivery.db.transaction().execute(async (trx) => {
      const project = await lockProject(trx, 'petstore');
      assert.ok(project);
      const reached = { percent, used: percent, most: 100, message: 'Full.' };
      const { now } = delivery.clock;
      await queueQuotaNotice(trx, now, project, { quota: 'bytes', ...reached });
      const ofAll = { quota: 'account-bytes', ...reached } as const;
      await queueAccountQuotaNotice(trx, now, project, 'bob@example.com', ofAll);
    });
  }
  delivery.start();
  await ended(delivery);
  const letters = server.mails.map(({ data }) => parse(data));
  assert.deepEqual(letters.map(({ headers }) => headers.get('subject')).sort(), [
    'Your projects have little room left',
    'Your projects have no room left',
    'petstore has little room left',
    'petstore has no room left',
  ]);
  assert.deepEqual(server.mails.flatMap(({ to }) => to).sort(), [
    ...['<ann@example.com>', '<ann@example.com>', '<bob@example.com>', '<bob@example.com>'],
  ]);
  const [{ text }] = letters as [(typeof letters)[0]];
  assert.match(
    text,
    /^Full\.\n\nProject: petstore\nhttps:\/\/dashboard\.example\.com\/projects\/petstore\/settings\/plan\n\n-- /,
  );
});

test('whatever a notice says, an e-mail goes to its address alone and has the headers it should', async (t) => {
  const server = await startMailServer(t);
  const mailer = createMailer({ smtpUrl: server.url(), from: FROM });
  const { signal } = new AbortController();
  const hostile = 'a\r\nBcc: <eve@example.com>\r\n\r\n.\r\nRCPT TO:<eve@example.com>';
  const email = { id: 'msg_1', at: 0, to: 'ann@example.com', subject: 'S', text: 'T' };
  await mailer.send({ ...email, subject: hostile, text: hostile }, signal);
  await mailer.send({ ...email, to: 'ann@example.com, eve@example.com' }, signal);
  await mailer.send({ ...email, to: 'ann@example.com>\r\nRCPT TO:<eve@example.com' }, signal);
  for (const { to, data } of server.mails) {
    assert.equal(to.length, 1);
    assert.notEqual(to[0], '<eve@example.com>');
    const { headers } = parse(data);
    assert.equal(headers.has('bcc'), false);
  }
  assert.equal(server.mails[0]?.to[0], '<ann@example.com>');
  assert.equal(
    server.commands.some((line) => /^RCPT TO:<eve@/i.test(line)),
    false,
  );
});

test('without a mail server nothing is sent, and what waits is sent within a day of there being one', async (t) => {
  const delivery = await prepareDelivery(t);
  await putOwner(delivery.db, 'ann@example.com');
  await delivery.tell();
  const without = delivery.start();
  without.wake();
  await without.stop();
  const [notice] = await delivery.notices();
  assert.deepEqual([notice?.attempts, notice?.email], [0, 'ann@example.com']);
  delivery.clock.now += 25 * 3_600_000;
  await delivery.start().stop();
  assert.deepEqual(await delivery.notices(), []);
});

test('a mail server that refuses is tried again by the schedule, and no more for an address that there is not', async (t) => {
  const server = await startMailServer(t);
  const rows: [what: string, refuse: () => void, isFinal: boolean, error: RegExp][] = [
    ['is busy', () => server.answers.set('CONNECT', '421 too busy'), false, /421/],
    ['refuses the password', () => server.answers.set('AUTH', '535 wrong'), false, /535/],
    ['is full', () => server.answers.set('RCPT', '452 full'), false, /452/],
    [
      'has no such address',
      () => server.answers.set('RCPT', '550 ann@example.com is nobody'),
      true,
      /550/,
    ],
    [
      'offers TLS and cannot do it',
      () => {
        server.extensions = ['STARTTLS', 'AUTH PLAIN'];
        server.answers.set('STARTTLS', '454 not now');
      },
      false,
      /454|STARTTLS/,
    ],
  ];
  for (const [what, refuse, isFinal, error] of rows) {
    await t.test(what, async (t) => {
      server.answers.clear();
      server.commands.length = 0;
      refuse();
      const mail = { smtpUrl: server.url('ann:geheim@'), from: FROM };
      const delivery = await prepareDelivery(t, { mail });
      await putOwner(delivery.db, 'ann@example.com');
      await delivery.tell();
      delivery.start();
      await until(async () => (await delivery.notices())[0]?.last_error != null, 'refused');
      const [notice] = await delivery.notices();
      assert.match(notice?.last_error ?? '', error);
      assert.equal(notice?.next_attempt_at === null, isFinal);
      assert.equal(server.mails.length, 0);
      const logged = delivery.logged.join('');
      assert.match(logged, /an e-mail could not be sent/);
      assert.doesNotMatch(logged, /geheim|ann@example/);
    });
  }
});

test('a password is sent to a mail server that takes it', async (t) => {
  const server = await startMailServer(t);
  const mailer = createMailer({ smtpUrl: server.url('ann:ge%40heim@'), from: FROM });
  const email = { id: 'msg_1', at: 0, to: 'ann@example.com', subject: 'S', text: 'T' };
  const outcome = await mailer.send(email, new AbortController().signal);
  assert.equal(outcome.error, null);
  assert.equal(server.mails[0]?.user, 'ann ge@heim');
});

test('where TLS is required, no password goes to a mail server without it', async (t) => {
  const server = await startMailServer(t);
  server.answers.set('STARTTLS', '502 what is that');
  const smtpUrl = `${server.url('ann:geheim@')}?requireTLS=true`;
  const mailer = createMailer({ smtpUrl, from: FROM });
  const email = { id: 'msg_1', at: 0, to: 'ann@example.com', subject: 'S', text: 'T' };
  const outcome = await mailer.send(email, new AbortController().signal);
  assert.match(outcome.error ?? '', /STARTTLS/);
  assert.equal(
    server.commands.some((line) => line.startsWith('AUTH')),
    false,
  );
});
