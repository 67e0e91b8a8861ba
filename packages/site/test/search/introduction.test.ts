import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overviewContent } from '../../src/reference/overview-content.ts';
import { referenceContext } from '../../src/reference/reference-site.ts';
import { openIndex } from '../../src/search/open-index.ts';
import { search } from '../../src/search/search.ts';
import { searchFiles } from '../../src/search/search-files.ts';
import { loaderOf, referenceOf, searcherOf } from './search-index.ts';

const DESCRIPTION = `Trips across Europe.

## Run in Postman

Fork our *collection*.

Rate limits
-----------

Sixty calls a minute:

- as a guest
- as a member

\`\`\`sh
# No heading
\`\`\`
`;

const TRIPS = {
  openapi: '3.1.0',
  info: {
    title: 'Train Trips',
    version: '1.2.1',
    summary: 'Journeys by rail.',
    description: DESCRIPTION,
    contact: { name: 'Train Support', email: 'support@trains.example' },
    license: { name: 'Apache 2.0' },
    termsOfService: 'https://trains.example/terms',
  },
  servers: [
    { url: 'https://mock.trains.example/v1', description: 'Mock Server' },
    {
      url: 'https://{region}.trains.example/v1',
      variables: { region: { default: 'europe', enum: ['europe', 'asia'] } },
    },
  ],
  paths: {
    '/trips': {
      get: {
        operationId: 'listTrips',
        summary: 'List trips',
        responses: { 200: { description: 'Done' } },
      },
    },
  },
  components: {
    securitySchemes: {
      sign_in: {
        type: 'oauth2',
        description: 'For applications of other companies.',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://trains.example/authorize',
            tokenUrl: 'https://trains.example/token',
            scopes: { 'trips:read': 'See departures' },
          },
        },
      },
      personalAccessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      account: { type: 'http', scheme: 'basic' },
      'station key': { type: 'apiKey', in: 'header', name: 'X-Station' },
      company: { type: 'openIdConnect', openIdConnectUrl: 'https://trains.example/.well-known' },
      machine: { type: 'mutualTLS' },
    },
  },
};

test('what the introduction says is found, each thing where it stands in the page', async () => {
  const find = await searcherOf({ document: TRIPS });
  const cases = [
    ['train trips', '/reference'],
    ['across europe', '/reference'],
    ['rail', '/reference'],
    ['support@trains.example', '/reference'],
    ['contact', '/reference'],
    ['license', '/reference'],
    ['licence', '/reference'],
    ['apache', '/reference'],
    ['terms of service', '/reference'],
    ['postman', '/reference'],
    ['rate limits', '/reference'],
    ['servers', '/reference#servers'],
    ['base url', '/reference#servers'],
    ['mock server', '/reference#servers'],
    ['asia', '/reference#servers'],
    ['mock.trains.example', '/reference#servers'],
    ['authentication', '/reference#authentication'],
    ['authorization', '/reference#authentication'],
    ['how do I authenticate', '/reference#authentication'],
    ['oauth', '/reference#security-sign_in'],
    ['OAuth 2.0', '/reference#security-sign_in'],
    ['departures', '/reference#security-sign_in'],
    ['other companies', '/reference#security-sign_in'],
    ['personal access token', '/reference#security-personalAccessToken'],
    ['bearer', '/reference#security-personalAccessToken'],
    ['jwt', '/reference#security-personalAccessToken'],
    ['basic auth', '/reference#security-account'],
    ['api key', '/reference#security-station_key'],
    ['x-station', '/reference#security-station_key'],
    ['openid', '/reference#security-company'],
    ['mtls', '/reference#security-machine'],
  ] as const;
  for (const [query, expected] of cases) {
    const [first] = await find(query);
    assert.equal(first?.href, expected, query);
  }
});

test('a row of the introduction says what it is', async () => {
  const find = await searcherOf({ document: TRIPS });
  const shown = async (query: string) => {
    const [row] = await find(query);
    return [row?.kind, row?.title, row?.context, row?.excerpt].join(' | ');
  };
  assert.equal(
    await shown('fork'),
    'section | Run in Postman | Train Trips | Fork our collection.',
  );
  assert.equal(
    await shown('minute'),
    'section | Rate limits | Train Trips | Sixty calls a minute: as a guest as a member # No heading',
  );
  assert.equal(
    await shown('apache'),
    'page | Train Trips |  | Journeys by rail. Trips across Europe. Version 1.2.1. Contact: Train Support, support@trains.example. Licence: Apache 2.0. Terms of service.',
  );
  assert.equal(
    await shown('asia'),
    'section | Servers | Train Trips | https://mock.trains.example/v1 Mock Server https://{region}.trains.example/v1 region europe asia',
  );
  assert.equal(
    await shown('x-station'),
    'section | station key | API key in the header X-Station | ',
  );
});

test('each fragment of the introduction is in its page, also where names collide', async () => {
  const { securitySchemes } = TRIPS.components;
  const reference = await referenceOf({
    ...TRIPS,
    info: { title: 'T', version: '1' },
    components: { securitySchemes: { ...securitySchemes, station_key: { type: 'mutualTLS' } } },
  });
  const index = await openIndex(
    loaderOf(searchFiles({ pages: [], references: [reference] }, () => {})).load,
  );
  const options = { overview: '/reference', images: new Set<string>() };
  const { text: page } = overviewContent(referenceContext(reference.checked, options, () => {}));
  const { rows } = await search(index, 'authentication', 20);
  const ids = rows.map(({ href }) => decodeURIComponent(href.split('#')[1] ?? ''));
  assert.ok(ids.includes('security-station_key-2'), ids.join(' '));
  for (const id of ids) assert.ok(page.includes(`id="${id}"`), id);
});

test('an introduction without servers and schemes has no results for them', async () => {
  const find = await searcherOf({
    document: { openapi: '3.1.0', info: { title: 'Plain', version: '1' }, paths: {} },
  });
  assert.equal((await find('plain'))[0]?.href, '/reference');
  for (const query of ['authentication', 'servers', 'license', 'contact']) {
    assert.deepEqual(await find(query), [], query);
  }
});

test('a description of thousands of headings takes the place of nothing else', async () => {
  const many = Array.from({ length: 3_000 }, (_, at) => `# Part${at}\n\nText${at}.`).join('\n\n');
  const reference = await referenceOf({ ...TRIPS, info: { ...TRIPS.info, description: many } });
  const index = await openIndex(
    loaderOf(searchFiles({ pages: [], references: [reference] }, () => {})).load,
  );
  assert.ok(index.documents < 300, `${index.documents}`);
  const first = async (query: string) => (await search(index, query, 20)).rows[0];
  assert.equal((await first('part7'))?.title, 'Part7');
  assert.equal((await first('text2345'))?.href, '/reference');
  assert.equal((await first('list trips'))?.title, 'List trips');
});
