import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { levelOf } from '../../src/rules.ts';
import { publishExample } from './examples/published.ts';

interface Expected {
  /** As the log says it. */
  readonly version: string;
  /** How many pages of operations there are, webhooks included. */
  readonly operations: number;
  /** What pages have, by their paths. `.md` is the page as Markdown. */
  readonly pages: Readonly<Record<string, readonly (string | RegExp)[]>>;
}

/** What readers look for in each of OpenAPI's own examples. */
const EXAMPLES: Readonly<Record<string, Expected>> = {
  '2.0/api-with-examples.yaml': {
    version: 'Swagger 2.0',
    operations: 2,
    pages: {
      '/reference/operations/listVersionsv2.md': [
        'GET /',
        '### 300: 200 300 response',
        'EXPERIMENTAL',
      ],
      '/reference/operations/getVersionDetailsv2': [
        'application/vnd.openstack.compute+xml;version=2',
      ],
    },
  },
  '2.0/petstore.yaml': {
    version: 'Swagger 2.0',
    operations: 3,
    pages: {
      '/reference/pets/listPets.md': [
        "curl 'http://petstore.swagger.io/v1/pets'",
        'Header `x-next`: string. A link to the next page of responses',
      ],
      '/reference/models/Pet.md': ['`id`: integer (int64), required'],
    },
  },
  '2.0/petstore-minimal.yaml': {
    version: 'Swagger 2.0',
    operations: 1,
    pages: { '/reference/operations/get-pets.md': ['array of `Pet`'] },
  },
  '2.0/petstore-simple.yaml': {
    version: 'Swagger 2.0',
    operations: 4,
    pages: {
      '/reference/operations/findPets.md': [
        '`application/xml`',
        '`text/html`',
        '| `tags` | query |',
      ],
      '/reference/operations/addPet.md': ['## Request body (required)', '`NewPet`'],
    },
  },
  '2.0/petstore-expanded.yaml': {
    version: 'Swagger 2.0',
    operations: 4,
    pages: {
      '/reference/operations/addPet.md': ['## Request body (required)', '`name`: string, required'],
      '/reference/models/Pet.md': ['`id`: integer (int64), required'],
    },
  },
  '2.0/petstore-with-external-docs.yaml': {
    version: 'Swagger 2.0',
    operations: 4,
    pages: {
      '/reference/operations/findPets': ['href="https://swagger.io/about"', 'find more info here'],
      '/': ['find more info here'],
    },
  },
  '2.0/uber.yaml': {
    version: 'Swagger 2.0',
    operations: 5,
    pages: {
      '/reference/estimates/get-estimates-price.md': [
        "curl 'https://api.uber.com/v1/estimates/price?start_latitude=1",
      ],
      '/reference/products/get-products.md': [
        'API key in the query parameter `server_token`',
        'server_token=YOUR_API_KEY',
      ],
    },
  },
  '3.0/api-with-examples.yaml': {
    version: 'OpenAPI 3.0.0',
    operations: 2,
    pages: {
      '/reference/operations/getVersionDetailsv2.md': ['### 203: 203 response', '23.253.228.211'],
    },
  },
  '3.0/callback-example.yaml': {
    version: 'OpenAPI 3.0.0',
    operations: 1,
    pages: {
      '/reference/operations/post-streams': [
        'Callbacks',
        '{$request.query.callbackUrl}',
        'userData',
      ],
      '/reference/operations/post-streams.md': [
        '`onData`: `POST {$request.query.callbackUrl}/data`',
        '##### 204: Your server should return this HTTP status code',
        'callbackUrl=https%3A%2F%2Ftonys-server.com',
      ],
    },
  },
  '3.0/link-example.yaml': {
    version: 'OpenAPI 3.0.0',
    operations: 6,
    pages: {
      '/reference/operations/getPullRequestsById': [
        'href="/reference/operations/mergePullRequest"',
        '$response.body#/repository/slug',
      ],
      '/reference/operations/getUserByName.md': [
        'Link `userRepositories`: to `getRepositoriesByOwner`',
      ],
      '/reference/operations/getPullRequestsByRepository.md': [
        'one of `open`, `merged`, `declined`',
      ],
    },
  },
  '3.0/petstore.yaml': {
    version: 'OpenAPI 3.0.0',
    operations: 3,
    pages: {
      '/': ['Swagger Petstore', 'http://petstore.swagger.io/v1'],
      '/reference/pets/showPetById.md': ['| `petId` | path | string | yes |'],
    },
  },
  '3.0/petstore-expanded.yaml': {
    version: 'OpenAPI 3.0.0',
    operations: 4,
    pages: {
      '/': ['apiteam@swagger.io', 'Apache 2.0', 'http://swagger.io/terms/'],
      // It lies in the path as `find pet by id`.
      '/reference/operations/find-pet-by-id.md': ['`GET /pets/{id}`'],
    },
  },
  '3.0/uspto.yaml': {
    version: 'OpenAPI 3.0.1',
    operations: 3,
    pages: {
      '/reference/search/perform-search.md': [
        '`application/x-www-form-urlencoded`',
        '`criteria`: string, required, default `*:*`',
      ],
      '/': ['{scheme}://developer.uspto.gov/ds-api'],
    },
  },
  '3.1/non-oauth-scopes.yaml': {
    version: 'OpenAPI 3.1.0',
    operations: 1,
    pages: {
      '/reference/operations/get-users': ['with the roles', '<code>read:users</code>'],
      '/reference/operations/get-users.md': ['with `read:users`, `public`'],
    },
  },
  '3.1/tictactoe.yaml': {
    version: 'OpenAPI 3.1.0',
    operations: 4,
    pages: {
      '/reference/gameplay/put-square.md': [
        'Header `Location`: string. Callback URL',
        'Example, notEmpty:',
        '`statusCallback`: `POST {$request.header.progressUrl}`',
        '`user2AppOauth`: OAuth 2.0, with `board:write`',
      ],
      '/reference/gameplay/get-board': ['app2AppOauth', 'api-key'],
      '/reference/webhooks/markOperationWebhook.md': ['sent as POST'],
    },
  },
  '3.1/webhook-example.yaml': {
    version: 'OpenAPI 3.1.0',
    operations: 1,
    pages: {
      '/reference/webhooks/post-newPet': ['Payload', 'Information about a new pet in the system'],
      '/reference/webhooks/post-newPet.md': [
        'Webhook `newPet`, sent as POST',
        '`id`: integer (int64)',
      ],
    },
  },
  '3.2/tags-example.yaml': {
    version: 'OpenAPI 3.2.0',
    operations: 4,
    pages: { '/': ['Flights', 'International', 'Domestic'] },
  },
  '3.2/media-types.yaml': {
    version: 'OpenAPI 3.2.0',
    operations: 14,
    pages: {
      '/reference/sequential/streamLogs': ['Each item of the stream', 'application/x-ndjson'],
      '/reference/sequential/streamLogs.md': [
        'Example: `examples/log.json-seq`',
        '{"timestamp": "1985-04-12T23:20:51.37Z", "level": 1, "message": "Bye!"}',
      ],
      '/reference/sequential/getLogs.md': ['`Log` (array of `LogEntry`), most items `100`'],
      '/reference/sequential/addEvents.md': [
        '`retry`: integer, at least `0`',
        '`event`: string, always `addInt64`',
        'content `application/json`',
        "--header 'Content-Type: text/event-stream'",
        'data: This data is formatted\ndata: across two lines',
      ],
      '/reference/forms/uploadPicture.md': ["--data-binary '@file.jpeg'"],
      '/reference/forms/sendJsonInForm.md': [
        'id=f81d4fae-7dec-11d0-a765-00a0c91e6bf6&address=%7B%22streetAddress%22%3A%22123+Example+Dr.%22%2C%22city%22%3A%22Somewhere%22%2C%22state%22%3A%22CA%22%2C%22zip%22%3A%2299999%2B1234%22%7D',
      ],
      '/reference/forms/sendBinaryInForm.md': ['Part `icon`: sent as `image/png, image/jpeg`'],
      // None of its fields must be sent, and it is a POST all the same.
      '/reference/multipart/sendForm.md': ['curl --request POST '],
      '/reference/multipart/sendEncodedForm.md': [
        'Part `addresses`: sent as `application/xml; charset=utf-8`',
        'Header `X-Rate-Limit-Limit`: integer',
      ],
      '/reference/multipart/sendOrdered': ['Part 2', '<code>image/*</code>'],
      '/reference/multipart/sendOrdered.md': [
        'Part 2: sent as `image/*`',
        '--boundary\nContent-Type: application/json\n\n{\n  "author": "string",',
        `--header 'Content-Type: multipart/mixed; boundary="boundary"'`,
        '--data-raw "$(printf %b \'--boundary\\r\nContent-Type: application/json\\r\n\\r\n',
      ],
      '/reference/multipart/sendRelated.md': [
        'Part 1: sent as `text/html`',
        'Other parts: sent as `text/css,text/javascript,image/*`',
        'Header `Content-Location`: string (uri), as `text/plain`, required',
        '\n--boundary\nContent-Type: text/html\n\nstring\n--boundary--\n',
      ],
      '/reference/multipart/streamPictures': ['Each item of the stream', '<code>image/jpg</code>'],
      '/reference/multipart/streamPictures.md': ['Each part: sent as `image/jpg`'],
      '/reference/multipart/streamRanges.md': ['Header `Content-Range`: string'],
      '/reference/multipart/sendNested.md': [
        'Part 2: sent as `multipart/mixed`\n  - Part 1: sent as `application/xml`',
        'Content-Type: multipart/mixed; boundary="boundary-2"\n\n--boundary-2\nContent-Type: application/xml',
      ],
    },
  },
  '3.2/parameters.yaml': { version: 'OpenAPI 3.2.0', operations: 45, pages: {} },
};

for (const [path, { version, operations, pages }] of Object.entries(EXAMPLES)) {
  test(`OpenAPI's example ${path} is published without a warning, with what its readers look for`, async () => {
    const { files, findings, messages } = await publishExample(path);
    assert.deepEqual(
      findings.filter(({ rule }) => levelOf(rule) === 'warning'),
      [],
    );
    assert.ok(messages.includes(`The document is ${version}`), messages.join('\n'));
    const navigation = JSON.parse(files.get('/_site/navigation.json') ?? '{}');
    const listed = navigation.tags.flatMap((tag: { operations: unknown[] }) => tag.operations);
    assert.equal(listed.length, operations);
    for (const [page, expected] of Object.entries(pages)) {
      const text = files.get(page) ?? `no ${page} in ${[...files.keys()].join(' ')}`;
      for (const one of expected)
        assert.ok(typeof one === 'string' ? text.includes(one) : one.test(text), `${one}\n${text}`);
    }
  });
}

test('no example is left out', async () => {
  const folder = new URL('examples/', import.meta.url);
  const found = (await readdir(folder, { recursive: true })).filter((path) =>
    path.endsWith('.yaml'),
  );
  assert.deepEqual(found.sort(), Object.keys(EXAMPLES).sort());
});

/** OpenAPI 3.2.0, “Style Examples”: by style and `explode`, a string, a list and an object as they are sent. */
const STYLES: readonly (readonly [style: string, string: string, array: string, object: string])[] =
  [
    ['matrix', ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
    ['matrixExploded', ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
    ['label', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
    ['labelExploded', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
    ['simple', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
    ['simpleExploded', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
    ['form', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
    ['formExploded', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
    ['spaceDelimited', '', 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
    ['pipeDelimited', '', 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
    ['deepObjectExploded', '', '', 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
    ['cookie', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
    ['cookieExploded', 'color=blue', 'color=blue; color=black; color=brown', 'R=100; G=200; B=150'],
  ];

/** OpenAPI 3.2.0, “Parameter Object Examples”: what of a request each parameter makes. */
const SENT: Readonly<Record<string, string>> = {
  headerOfIntegers: "--header 'X-Token: 12345678,90099'",
  explodedCookie: "--header 'Cookie: greeting=Hello%2C world!; code=42'",
  formCookie: "--header 'Cookie: greeting=Hello%2C%20world%21'",
  pathOfText: "'https://example.com/users/di%E1%B9%85n%C4%81ga'",
  repeatedQuery: "/things?thing=one%20thing&thing=another%20thing'",
  freeFormQuery: "/free-form?page=4&pageSize=50'",
  queryOfJson: "/coordinates?coordinates=%7B%22lat%22%3A10%2C%22long%22%3A60%7D'",
  formQuerystring: "/form-querystring?foo=a+%2B+b&bar=true'",
  jsonQuerystring:
    "'https://example.com/foo?%7B%22numbers%22%3A%5B1%2C2%5D%2C%22flag%22%3Anull%7D'",
  jsonpathQuerystring: "/select?%24.a.b%5B1%3A1%5D'",
};

test("the requests of the pages have parameters as the specification's tables do", async () => {
  const { files } = await publishExample('3.2/parameters.yaml');
  const curl = (path: string) => /```sh\n(.*?)```/s.exec(files.get(`${path}.md`) ?? '')?.[1] ?? '';
  for (const [style, ...cells] of STYLES) {
    for (const [at, kind] of ['String', 'Array', 'Object'].entries()) {
      const expected = cells[at];
      if (!expected) continue;
      const text = curl(`/reference/styles/${style}${kind}`);
      const isCookie = style.startsWith('cookie');
      assert.ok(
        text.includes(isCookie ? `Cookie: ${expected}'` : `${expected}'`),
        `${style}${kind}\n${text}`,
      );
    }
  }
  for (const [name, expected] of Object.entries(SENT)) {
    const text = curl(`/reference/examples/${name}`);
    assert.ok(text.includes(expected), `${name}\n${text}`);
  }
});
