import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParameterData } from '../../src/request/operation-data.ts';
import {
  cookieText,
  headerText,
  type ParameterValue,
  pathText,
  queryText,
} from '../../src/request/serialize.ts';

const object = (members: Record<string, ParameterValue>) => ({
  members: new Map(Object.entries(members)),
});

type Rest = Omit<Partial<ParameterData>, 'in'>;

const inPath = (more: Rest, value: ParameterValue) =>
  pathText({ name: 'color', in: 'path', ...more }, value);
const inQuery = (more: Rest, value: ParameterValue) =>
  queryText({ name: 'color', in: 'query', ...more }, value);
const inCookie = (more: Rest, value: ParameterValue) =>
  cookieText({ name: 'color', in: 'cookie', ...more }, value);
const inHeader = (more: Rest, value: ParameterValue) =>
  headerText({ name: 'color', in: 'header', ...more }, value);

/** The values of the table “Style Examples” of OpenAPI 3.1.1. */
const VALUES: readonly ParameterValue[] = [
  '',
  'blue',
  ['blue', 'black', 'brown'],
  object({ R: '100', G: '200', B: '150' }),
];

/** Its rows, with the columns empty, string, array and object; undefined where the table has “n/a”. */
const STYLE_EXAMPLES: readonly [
  typeof inPath,
  NonNullable<ParameterData['style']>,
  boolean,
  ...(string | undefined)[],
][] = [
  [
    inPath,
    'matrix',
    false,
    ';color',
    ';color=blue',
    ';color=blue,black,brown',
    ';color=R,100,G,200,B,150',
  ],
  [
    inPath,
    'matrix',
    true,
    ';color',
    ';color=blue',
    ';color=blue;color=black;color=brown',
    ';R=100;G=200;B=150',
  ],
  [inPath, 'label', false, '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
  [inPath, 'label', true, '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
  [inPath, 'simple', false, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  [inPath, 'simple', true, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  [inHeader, 'simple', false, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  [inHeader, 'simple', true, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  [
    inQuery,
    'form',
    false,
    'color=',
    'color=blue',
    'color=blue,black,brown',
    'color=R,100,G,200,B,150',
  ],
  [
    inQuery,
    'form',
    true,
    'color=',
    'color=blue',
    'color=blue&color=black&color=brown',
    'R=100&G=200&B=150',
  ],
  [
    inQuery,
    'spaceDelimited',
    false,
    undefined,
    undefined,
    'color=blue%20black%20brown',
    'color=R%20100%20G%20200%20B%20150',
  ],
  [
    inQuery,
    'pipeDelimited',
    false,
    undefined,
    undefined,
    'color=blue%7Cblack%7Cbrown',
    'color=R%7C100%7CG%7C200%7CB%7C150',
  ],
  [
    inQuery,
    'deepObject',
    true,
    undefined,
    undefined,
    undefined,
    'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150',
  ],
  // OpenAPI 3.2.
  [
    inCookie,
    'cookie',
    false,
    'color=',
    'color=blue',
    'color=blue,black,brown',
    'color=R,100,G,200,B,150',
  ],
  [
    inCookie,
    'cookie',
    true,
    'color=',
    'color=blue',
    'color=blue; color=black; color=brown',
    'R=100; G=200; B=150',
  ],
];

test('every style of OpenAPI is serialised as in the table of its specification', () => {
  for (const [serialize, style, explode, ...wanted] of STYLE_EXAMPLES) {
    for (const [at, text] of wanted.entries()) {
      if (text === undefined) continue;
      const made = serialize({ style, explode }, VALUES[at] as ParameterValue);
      assert.equal(made, text, `${style}, explode: ${explode}, column ${at}`);
    }
  }
});

/** RFC 6570, sections 3.2.2 to 3.2.9: its variables and expansions that OpenAPI can express. */
const RFC_6570: readonly [typeof inPath, Rest, ParameterValue, string][] = [
  [inPath, { name: 'hello' }, 'Hello World!', 'Hello%20World%21'],
  [inPath, { name: 'half' }, '50%', '50%25'],
  [inPath, { name: 'hello', allowReserved: true }, 'Hello World!', 'Hello%20World!'],
  [inPath, { name: 'half', allowReserved: true }, '50%', '50%25'],
  [
    inPath,
    { name: 'base', allowReserved: true },
    'http://example.com/home/',
    'http://example.com/home/',
  ],
  [
    inPath,
    { name: 'keys', explode: true },
    object({ semi: ';', dot: '.', comma: ',' }),
    'semi=%3B,dot=.,comma=%2C',
  ],
  [
    inPath,
    { name: 'keys', style: 'label' },
    object({ semi: ';', dot: '.', comma: ',' }),
    '.semi,%3B,dot,.,comma,%2C',
  ],
  [inPath, { name: 'empty_keys', style: 'label' }, object({}), ''],
  [inPath, { name: 'v', style: 'matrix' }, '6', ';v=6'],
  [inPath, { name: 'list', style: 'matrix' }, ['red', 'green', 'blue'], ';list=red,green,blue'],
  [
    inPath,
    { name: 'keys', style: 'matrix', explode: true },
    object({ semi: ';', dot: '.', comma: ',' }),
    ';semi=%3B;dot=.;comma=%2C',
  ],
  [inQuery, { name: 'half' }, '50%', 'half=50%25'],
  [
    inQuery,
    { name: 'keys', explode: false },
    object({ semi: ';', dot: '.', comma: ',' }),
    'keys=semi,%3B,dot,.,comma,%2C',
  ],
  [inQuery, { name: 'empty_keys' }, object({}), ''],
  [inQuery, { name: 'list' }, [], ''],
];

test('values are expanded as RFC 6570 does it', () => {
  for (const [serialize, parameter, value, text] of RFC_6570) {
    assert.equal(serialize(parameter, value), text, JSON.stringify(parameter));
  }
});

const CASES: readonly [typeof inPath, Rest, ParameterValue, string][] = [
  // All but the unreserved characters of RFC 3986.
  [
    inQuery,
    {},
    "a-z.0_9~ é/?#[]@!$&'()*+,;=",
    'color=a-z.0_9~%20%C3%A9%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D',
  ],
  [inQuery, {}, '\ud800', 'color=%EF%BF%BD'],
  // A comma in an item is not one between two items.
  [inQuery, { explode: false }, ['a,b', 'c'], 'color=a%2Cb,c'],
  [inQuery, { style: 'spaceDelimited' }, ['a b', 'c'], 'color=a%20b%20c'],
  // Reserved characters stay, except for those that would end the value.
  [inQuery, { allowReserved: true }, "a/b?c:d@e!$'()*,;=", "color=a/b?c:d@e!$'()*,;="],
  [inQuery, { allowReserved: true }, 'a&b#c[d]+e%2Ff%é', 'color=a%26b%23c%5Bd%5D%2Be%2Ff%25%C3%A9'],
  [inPath, { allowReserved: true }, 'a/b?c#d', 'a/b%3Fc%23d'],
  [inQuery, { style: 'deepObject', allowReserved: true }, object({ a: 'x/y' }), 'color%5Ba%5D=x/y'],
  // What OpenAPI leaves open.
  [
    inQuery,
    { style: 'deepObject' },
    object({ a: object({ b: '1' }), c: ['x', 'y'] }),
    'color%5Ba%5D%5Bb%5D=1&color%5Bc%5D%5B0%5D=x&color%5Bc%5D%5B1%5D=y',
  ],
  [
    inQuery,
    { contentType: 'application/json' },
    '{"id":9007199254740993}',
    'color=%7B%22id%22%3A9007199254740993%7D',
  ],
  [inPath, { contentType: 'application/json' }, '["a"]', '%5B%22a%22%5D'],
  [inCookie, { contentType: 'application/json' }, '{}', 'color=%7B%7D'],
  [inHeader, { contentType: 'application/json' }, '{\n  "a": 1\n}', '{ "a": 1 }'],
  [inHeader, {}, 'a b/c', 'a b/c'],
  [inHeader, {}, 'a\r\nX-Evil: 1', 'a X-Evil: 1'],
  [inCookie, {}, 'a;b', 'color=a%3Bb'],
  [inCookie, { style: 'cookie' }, 'a/b=', 'color=a/b='],
  [inPath, {}, '9007199254740993', '9007199254740993'],
];

test('reserved characters, content and 64-bit digits arrive as they were entered', () => {
  for (const [serialize, parameter, value, text] of CASES) {
    assert.equal(serialize(parameter, value), text, JSON.stringify([parameter, value]));
  }
  const query = { name: 'all', in: 'querystring' } as const;
  const urlencoded = { ...query, contentType: 'application/x-www-form-urlencoded' };
  assert.equal(queryText(urlencoded, 'a=1&b=2'), 'a=1&b=2');
  assert.equal(queryText({ ...query, contentType: 'application/json' }, '{}'), '%7B%7D');
});
