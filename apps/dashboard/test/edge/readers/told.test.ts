import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { FEEDBACK_PATH, READERS_PATH } from '@petstore/site/site/readers/readers-format.ts';
import { searchName, sentenceText } from '../../../server/src/edge/readers/reader-texts.ts';
import { movedTo } from '../../../server/src/edge/sites/site-source.ts';
import { startTestEdge } from '../support/edge.ts';
import { MemorySource, SITE } from '../support/memory-source.ts';

const NOON = Date.UTC(2026, 10, 26, 12);
const OWN = { origin: 'http://a.test' };
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

type Fields = Record<string, string>;

async function started(t: TestContext) {
  const source = new MemorySource();
  source.deploy('a.test', SITE, { countsReaders: true });
  source.deploy('off.test', SITE, { countsReaders: false });
  source.deploy('preview.test', SITE, { countsReaders: true, isPreview: true });
  source.deploy('old.test', SITE, { countsReaders: true, redirect: movedTo('https://a.test') });
  const edge = await startTestEdge(t, { source, now: () => NOON });
  const tell = async (
    path: string,
    body: string | Buffer | Fields,
    { host = 'a.test', ...headers }: Record<string, string> = OWN,
    localAddress = '127.0.0.1',
  ) => {
    const sent = request({
      ...{ host: '127.0.0.1', port: edge.port, path, method: 'POST', agent: false, localAddress },
      headers: {
        ...{ host, 'user-agent': BROWSER, ...headers },
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
    const isBytes = typeof body === 'string' || Buffer.isBuffer(body);
    sent.end(isBytes ? body : String(new URLSearchParams(body)));
    const [response] = await once(sent, 'response');
    const text = String(await buffer(response));
    return { status: response.statusCode as number, headers: response.headers, text };
  };
  const counted = async () => {
    await edge.close();
    return Object.fromEntries(
      [...source.readers].map(([key, count]) => [key.slice('2026-11-26T12 '.length), count]),
    );
  };
  return { source, tell, counted };
}

const VIEW = { event: 'view', page: '/guides/start' };
const CALL = { event: 'try', page: '/reference/pets', status: '4xx' };
const SEARCH = { event: 'search', query: 'web  Hooks ', found: 'nothing' };
const ANSWER = { page: '/guides/start', helpful: 'no' };

test('pages tell what was shown, searched and tried, and what readers think of them', async (t) => {
  const { source, tell, counted } = await started(t);
  for (const event of [VIEW, CALL, SEARCH, { ...SEARCH, query: 'Ｗｅｂフック', found: 'all' }])
    assert.deepEqual([(await tell(READERS_PATH, event)).status], [204], event.event);
  assert.equal((await tell(READERS_PATH, VIEW, { 'sec-fetch-site': 'same-origin' })).status, 204);
  assert.equal((await tell(FEEDBACK_PATH, ANSWER)).status, 204);
  const written = { ...ANSWER, only: 'sentence', sentence: '  Where is\r\nthe <b>key</b>? ' };
  assert.equal((await tell(FEEDBACK_PATH, written)).status, 204);
  // Without a script the browser goes back to the page, which thanks the reader.
  const whole = { page: '/guides/ü b', helpful: 'yes', sentence: '' };
  const back = await tell(FEEDBACK_PATH, whole, { ...OWN, accept: 'text/html,*/*' });
  assert.deepEqual([back.status, back.headers.location], [303, '/guides/%C3%BC%20b#layout-thanks']);
  assert.deepEqual(await counted(), {
    'view /guides/start': 2,
    'try /reference/pets 4xx': 1,
    'search web hooks nothing': 1,
    'search ｗｅｂフック all': 1,
    'helpful /guides/start no': 1,
    'helpful /guides/ü b yes': 1,
  });
  const text = 'Where is the <b>key</b>?';
  assert.deepEqual(source.sentences, [{ page: '/guides/start', isHelpful: false, text }]);
});

test('nobody but a page of the site tells it anything, and nothing that is not of it', async (t) => {
  const { source, tell, counted } = await started(t);
  const foreign: Record<string, string>[] = [
    {},
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://a.test.evil.example' },
    { ...OWN, 'sec-fetch-site': 'cross-site' },
    { ...OWN, 'sec-fetch-site': 'same-site' },
    { ...OWN, 'sec-fetch-site': 'none' },
    // Another site of the same installation.
    { origin: 'http://off.test' },
  ];
  for (const headers of foreign)
    for (const [path, body] of [
      [READERS_PATH, VIEW],
      [FEEDBACK_PATH, ANSWER],
    ] as const)
      assert.equal((await tell(path, body, headers)).status, 403, JSON.stringify(headers));
  const refused: [string, string | Buffer | Fields, number][] = [
    [READERS_PATH, '', 400],
    [READERS_PATH, { event: 'other' }, 400],
    [READERS_PATH, { ...VIEW, page: '/not/a/page' }, 400],
    [READERS_PATH, { ...VIEW, page: '/logo.svg' }, 400],
    [READERS_PATH, { ...VIEW, page: '/404' }, 400],
    [READERS_PATH, { ...VIEW, page: '__proto__' }, 400],
    [READERS_PATH, { ...VIEW, page: '/%' }, 400],
    [READERS_PATH, { ...CALL, status: '2xx; DROP' }, 400],
    [READERS_PATH, { ...SEARCH, found: 'maybe' }, 400],
    [READERS_PATH, Buffer.alloc(5_000, 0xff), 413],
    [FEEDBACK_PATH, { ...ANSWER, page: '//evil.example' }, 400],
    [FEEDBACK_PATH, { ...ANSWER, helpful: 'perhaps' }, 400],
    [FEEDBACK_PATH, { ...ANSWER, sentence: 'x'.repeat(9_000) }, 413],
  ];
  for (const [path, body, status] of refused)
    assert.equal((await tell(path, body)).status, status, `${path} ${String(body).slice(0, 50)}`);
  // Those who asked to be left out, and programs that run scripts.
  for (const headers of [{ 'sec-gpc': '1' }, { dnt: '1' }, { 'user-agent': 'Googlebot/2.1' }])
    assert.equal((await tell(READERS_PATH, VIEW, { ...OWN, ...headers })).status, 204);
  for (const [host, status] of [
    ['off.test', 405],
    ['old.test', 405],
    ['preview.test', 204],
    ['none.test', 404],
  ] as const)
    for (const [path, body] of [
      [READERS_PATH, VIEW],
      [FEEDBACK_PATH, ANSWER],
    ] as const) {
      const answer = await tell(path, body, { host, origin: `http://${host}` });
      assert.equal(answer.status, status, `${host}${path}`);
    }
  assert.deepEqual(await counted(), {});
  assert.deepEqual(source.sentences, []);
});

test('a flood of answers is refused, and one that is sent again is no second sentence', async (t) => {
  // On a busy machine the flood would go on while a part of it is stored.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { source, tell, counted } = await started(t);
  const statuses = [];
  for (let at = 0; at < 70; at += 1)
    statuses.push((await tell(FEEDBACK_PATH, { ...ANSWER, sentence: `No ${at}` })).status);
  const taken = statuses.filter((status) => status === 204).length;
  assert.equal(taken, 60);
  assert.equal(statuses.at(-1), 429);
  const counts = await counted();
  assert.deepEqual(counts, { 'helpful /guides/start no': taken });
  // Of a site, so many in the seconds between two transactions.
  assert.equal(source.sentences.length, 20);
});

test('one client fills no day with sentences, and its answers count', async (t) => {
  const { source, tell, counted } = await started(t);
  const write = async (sentence: string, from: string) =>
    (await tell(FEEDBACK_PATH, { ...ANSWER, sentence }, OWN, from)).status;
  const statuses = [];
  for (let at = 0; at < 7; at += 1) statuses.push(await write(`Junk ${at}`, '127.0.0.2'));
  assert.deepEqual(statuses, [204, 204, 204, 204, 204, 429, 429]);
  assert.equal(await write('', '127.0.0.2'), 204);
  assert.equal(await write('It lacks an example.', '127.0.0.3'), 204);
  assert.deepEqual(await counted(), { 'helpful /guides/start no': 7 });
  assert.equal(source.sentences.at(-1)?.text, 'It lacks an example.');
});

test('searches that may be private are not kept, nor what is seen nowhere', () => {
  const kept: [string, string][] = [
    ['Rate  limits', 'rate limits'],
    ['GET /pets/{petId}', 'get /pets/{petid}'],
    ['\u202eevil\u0000', 'evil'],
    ['क्\u200dष 👩\u200d💻', 'क्\u200dष 👩\u200d💻'],
    ['error 404', 'error 404'],
    ['\ud800x', '\ufffdx'],
    ['2026-11-26', '2026-11-26'],
  ];
  for (const [typed, name] of kept) assert.equal(searchName(typed), name, typed);
  const left = [
    'who is jane@example.com',
    'pk_live_4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c',
    '+49 170 1234567',
    '4111 1111 1111 1111',
    '٤١١١ ١١١١ ١١١١ ١١١١',
    '０９０－１２３４－５６７８',
    'jane＠example.com',
    'x'.repeat(101),
    ' \t ',
  ];
  for (const typed of left) assert.equal(searchName(typed), '', typed);
  assert.equal(sentenceText('a\u0000\u0007b\r\n\u202ec'), 'ab c');
  assert.equal(sentenceText('😀'.repeat(400)).length, 500);
  assert.equal(sentenceText(`x${'😀'.repeat(400)}`).length, 499);
});
