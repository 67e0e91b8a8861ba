import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuildLine, boundedLog } from '../../src/build-log.ts';
import { readCheckedDocument } from '../../src/openapi/checked-document.ts';
import { downloadFiles } from '../../src/openapi/download-files.ts';
import { documentSite } from '../../src/reference/document-site.ts';
import { bytesOf } from '../../src/site/file-bytes.ts';
import { words } from '../reference/page-context.ts';
import { publishText } from './examples/published.ts';

const DOCUMENT = `openapi: 3.2.0
$self: https://api.example.com/openapi.yaml
info: {title: Pets, version: '1'}
servers: [{url: 'https://api.example.com', name: production}]
tags: [{name: pets, summary: The pets, kind: nav}]
paths:
  /pets:
    get:
      operationId: listPets
      summary: List pets
      tags: [pets]
      parameters:
        - name: filter
          in: querystring
          content:
            application/x-www-form-urlencoded:
              schema: {type: object, properties: {colour: {type: string}}}
      responses:
        '200':
          description: Pets, as they come.
          content:
            text/event-stream:
              itemSchema: {type: object, properties: {data: {type: string}}}
            application/json: {$ref: '#/components/mediaTypes/Pets'}
    query:
      operationId: queryPets
      summary: Query pets
      tags: [pets]
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
      responses: {'200': {description: Pets.}}
    additionalOperations:
      COPY:
        operationId: copyPets
        summary: Copy pets
        tags: [pets]
        responses: {'204': {description: Copied.}}
components:
  mediaTypes:
    Pets:
      schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}
      examples: {one: {dataValue: [{name: Rex}], serializedValue: '[{"name": "Rex"}]'}}
  schemas:
    Pet: {type: object, properties: {name: {type: string}}}
`;

test('a document of OpenAPI 3.2 is published without a warning, with what is new in it', async () => {
  const lines: BuildLine[] = [];
  const { log } = boundedLog((line) => lines.push(line));
  const checked = await readCheckedDocument(Buffer.from(DOCUMENT), 'openapi.yaml', log);
  assert.ok('upgraded' in checked, JSON.stringify(checked));
  const { files } = await documentSite(checked, log);
  const texts = new Map([...files].map((file) => [file.path, String(bytesOf(file))]));
  assert.deepEqual(
    lines.filter((line) => 'rule' in line),
    [],
  );
  assert.ok(lines.some(({ message }) => message === 'The document is OpenAPI 3.2.0'));

  const query = texts.get('/reference/pets/queryPets') ?? '';
  assert.match(query, />QUERY<\/span> <code>/);
  assert.match(texts.get('/reference/pets/queryPets.md') ?? '', /curl --request QUERY /);
  assert.match(texts.get('/reference/pets/copyPets.md') ?? '', /`COPY \/pets`/);
  const list = texts.get('/reference/pets/listPets') ?? '';
  assert.match(list, /Query string/);
  assert.match(list, /colour/);
  assert.match(list, /Each item of the stream/);
  assert.match(list, /Rex/);
  assert.match(texts.get('/reference/pets') ?? '', /The pets/);
  const [, yaml] = downloadFiles(checked.document).map(bytesOf);
  assert.match(String(yaml), /^openapi: 3\.2\.0/);
});

test('what is wrong in an operation of another method is told with its place', async () => {
  const broken = DOCUMENT.replace(
    "responses: {'204'",
    "parameters: [1]\n        responses: {'204'",
  );
  const lines: BuildLine[] = [];
  const { log } = boundedLog((line) => lines.push(line));
  await readCheckedDocument(Buffer.from(broken), 'openapi.yaml', log);
  const places = lines.flatMap((line) => ('rule' in line ? [`${line.path}:${line.line}`] : []));
  assert.deepEqual(
    [...new Set(places)],
    ['/paths/~1pets/additionalOperations/COPY/parameters/0:36'],
  );
});

const MORE = `openapi: 3.2.0
$self: https://api.example.com/specs/openapi.yaml
info: {title: Pets, version: '1', license: {name: Own, url: ../licence.html}}
externalDocs: {url: /guide.html}
servers: [{url: v1, name: production, description: The real one}, {url: https://sandbox.example.com}]
security: [{oauth: [read]}, {old: []}]
paths:
  /pets:
    post:
      operationId: addPet
      summary: Add a pet
      requestBody: {content: {application/xml: {schema: {$ref: '#/components/schemas/Pet'}}}}
      responses:
        '200':
          summary: The pet that is there now
          description: All that is known of it.
          content: {application/json: {schema: {$ref: 'openapi.yaml#/components/schemas/Any'}}}
        '404': {summary: No pet}
        '409': {$ref: 'https://api.example.com/specs/openapi.yaml#/components/responses/Twice', summary: There twice}
components:
  responses: {Twice: {description: It is there already.}}
  securitySchemes:
    oauth:
      type: oauth2
      oauth2MetadataUrl: https://auth.example.com/.well-known/oauth-authorization-server
      flows:
        deviceAuthorization:
          deviceAuthorizationUrl: https://auth.example.com/device
          tokenUrl: https://auth.example.com/token
          scopes: {read: Read pets}
    old: {type: apiKey, in: header, name: X-Key, deprecated: true}
  schemas:
    Any:
      oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Other'}]
      discriminator: {propertyName: kind, mapping: {c: Cat}, defaultMapping: Other}
    Cat: {type: object, required: [kind], properties: {kind: {type: string}}}
    Other: {type: object, properties: {size: {type: string}}}
    Pet:
      type: object
      properties:
        id: {type: integer, xml: {nodeType: attribute}}
        about: {type: string, xml: {nodeType: cdata}}
        words: {type: string, xml: {nodeType: text}}
        tags: {type: array, items: {type: string, xml: {name: tag}}, xml: {nodeType: element, name: list}}
`;

test('pages, Markdown and panel have what else is new in OpenAPI 3.2', async () => {
  const { files, findings } = await publishText(Buffer.from(MORE));
  assert.deepEqual(findings, []);
  const introduction = words(files.get('/') ?? '');
  const page = words(files.get('/reference/operations/addPet') ?? '');
  const markdown = files.get('/reference/operations/addPet.md') ?? '';
  const start = files.get('/index.md') ?? '';
  const includes = (text: string, all: readonly string[]) => {
    for (const one of all) assert.ok(text.includes(one), `${one}\n${text}`);
  };
  includes(introduction, [
    'v1 production The real one',
    'oauth OAuth 2.0 Server metadata https://auth.example.com/.well-known/oauth-authorization-server',
    'Device authorization https://auth.example.com/device',
    'old API key in the header X-Key deprecated',
    // Of the document's own address.
    'https://api.example.com/guide.html',
  ]);
  assert.match(files.get('/') ?? '', /href="https:\/\/api\.example\.com\/licence\.html"/);
  includes(start, [
    '- `v1` (production): The real one',
    'described at `https://auth.example.com/.well-known/oauth-authorization-server`',
    'API key in the header `X-Key`, deprecated',
  ]);
  includes(page, [
    '200 The pet that is there now All that is known of it.',
    '404 No pet',
    '409 There twice It is there already.',
    'Other or any other value, or none',
    'id integer XML attribute',
    'about string XML CDATA section',
    'words string XML text',
    'XML element list Each item: XML element tag',
    'old API key in the header X-Key deprecated',
  ]);
  includes(markdown, [
    '### 200: The pet that is there now\n\nAll that is known of it.',
    '### 404: No pet',
    'any other value, or none: `Other`',
    '"kind": "c"',
    '`id`: integer, XML attribute',
    '`about`: string, XML CDATA section',
    '`words`: string, XML text',
    '<![CDATA[string]]>',
  ]);
  const data = /<script type="application\/json" id="layout-operation">(.*?)<\/script>/.exec(
    files.get('/reference/operations/addPet') ?? '',
  );
  const { servers, schemes } = JSON.parse(data?.[1] ?? '{}');
  assert.deepEqual(servers[0], { url: 'v1', name: 'production', description: 'The real one' });
  assert.equal(schemes[1].deprecated, true);
  assert.equal(schemes[0].flows[0].deviceAuthorizationUrl, 'https://auth.example.com/device');
});
