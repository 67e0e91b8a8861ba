import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuildLine, boundedLog } from '../../src/build-log.ts';
import { readCheckedDocument } from '../../src/openapi/checked-document.ts';
import { downloadFiles } from '../../src/openapi/download-files.ts';
import { documentSite } from '../../src/reference/document-site.ts';
import { bytesOf } from '../../src/site/file-bytes.ts';

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
