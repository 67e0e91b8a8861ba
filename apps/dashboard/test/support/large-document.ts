/**
 * An API of a size that few have: schemas that refer to each other in rings, two operations to a path.
 * `operations` is even.
 */
export function largeDocument(operations: number, title = 'Many things'): object {
  const things = Array.from({ length: operations / 2 }, (_, at) => at);
  const next = (at: number, by: number) => ({
    $ref: `#/components/schemas/Thing${(at + by) % things.length}`,
  });
  const id = {
    name: 'id',
    in: 'path',
    required: true,
    schema: { type: 'integer', format: 'int64' },
  };
  const json = (schema: object) => ({ 'application/json': { schema } });
  const schemas = things.map((at) => [
    `Thing${at}`,
    {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'integer', format: 'int64', example: 42 },
        name: { type: 'string', description: `The **name** of thing ${at}.`, nullable: true },
        parent: next(at, 1),
        parts: { type: 'array', items: next(at, 7) },
        kind: { oneOf: [next(at, 3), next(at, 5)] },
      },
    },
  ]);
  const paths = things.map((at) => [
    `/things${at}/{id}`,
    {
      parameters: [id],
      get: {
        operationId: `getThing${at}`,
        tags: [`Group ${at % 40}`],
        summary: `Get thing ${at}`,
        description: 'What it *says* of itself, and of its `parts`. '.repeat(10),
        parameters: [
          { name: 'view', in: 'query', schema: { type: 'string', enum: ['short', 'full'] } },
        ],
        responses: { 200: { description: 'The thing', content: json(next(at, 0)) } },
      },
      put: {
        operationId: `putThing${at}`,
        tags: [`Group ${at % 40}`],
        summary: `Change thing ${at}`,
        requestBody: { content: json(next(at, 0)) },
        responses: { 200: { description: 'Changed', content: json(next(at, 0)) } },
      },
    },
  ]);
  return {
    openapi: '3.0.3',
    info: { title, version: '1' },
    servers: [{ url: 'https://things.example' }],
    paths: Object.fromEntries(paths),
    components: { schemas: Object.fromEntries(schemas) },
  };
}

/** The same as JSON, under a title by which it is known. */
export function titledDocument(title: string, operations: number): string {
  return JSON.stringify(largeDocument(operations, title));
}
