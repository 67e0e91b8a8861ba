// What every server of HTTP/1.1 here refuses, whatever it serves.

/** What a Host header may not hold (RFC 9112, section 3.2). */
export const BAD_HOSTS = [
  ...['a b/c', 'a,b', 'a, b', 'user@h', 'user:word@h', '[::1', '::1', '[zz]', '[]', '[::1]x'],
  ...[
    'a:b',
    'a:80:80',
    ':80',
    'a%zz',
    'a%2',
    'a/b',
    'a?b',
    'a#b',
    'a\\b',
    '"a"',
    '<a>',
    '{a}',
    'b\xfcro',
  ],
];

/** And what it may. */
export const GOOD_HOSTS = [
  ...[
    'a',
    'a:80',
    'a:',
    'a.b.',
    'A.B',
    'a_b',
    'xn--bcher-kva.test',
    '127.0.0.1:8080',
    '[::1]',
    '[::1]:80',
  ],
  ...['[2001:db8::1.2.3.4]', 'a%2Db', ''],
];

/**
 * How a body may be framed by Transfer-Encoding, and the status of the response (RFC 9112, sections 6.1, 6.3 and 7).
 */
export const TRANSFER_CODINGS: readonly (readonly [headers: string, status: number | 'good'])[] = [
  ['Transfer-Encoding: chunked', 'good'],
  ['Transfer-Encoding: CHUNKED', 'good'],
  ['Transfer-Encoding: identity', 501],
  ['Transfer-Encoding: gzip', 501],
  ['Transfer-Encoding: x', 501],
  ['Transfer-Encoding: gzip, chunked', 501],
  ['Transfer-Encoding: identity, chunked', 501],
  ['Transfer-Encoding: x;a="b", chunked', 501],
  ['Transfer-Encoding: chunked, gzip', 400],
  ['Transfer-Encoding: chunked, identity', 400],
  ['Transfer-Encoding: chunked, chunked', 400],
  ['Transfer-Encoding: gzip, chunked, gzip', 400],
  ['Transfer-Encoding: chunked;a=b', 400],
  ['Transfer-Encoding: "chunked"', 400],
  ['Transfer-Encoding:', 400],
  ['Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', 400],
  ['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', 400],
  ['Transfer-Encoding: chunked\r\nContent-Length: 5', 400],
  ['Content-Length: 5\r\nTransfer-Encoding: chunked', 400],
  ['Content-Length: 5\r\nContent-Length: 5', 400],
  ['Content-Length: 5, 5', 400],
];
