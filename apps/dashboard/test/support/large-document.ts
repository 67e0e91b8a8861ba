/** An OpenAPI document with this many operations, each with parameters, a body and answers of its own. */
export function largeDocument(title: string, operations: number): string {
  const paths = Object.fromEntries(
    Array.from({ length: operations }, (_, at) => [
      `/resources-${at}/{id}`,
      {
        put: {
          operationId: `replaceResource${at}`,
          tags: [`Group ${at % 25}`],
          summary: `Replace resource ${at}`,
          description: `Replaces a resource of kind ${at}. `.repeat(5),
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'expand', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: { $ref: `#/components/schemas/Resource${at}` } },
            },
          },
          responses: {
            200: {
              description: 'Replaced',
              content: {
                'application/json': { schema: { $ref: `#/components/schemas/Resource${at}` } },
              },
            },
            404: { description: 'Not found' },
          },
        },
      },
    ]),
  );
  const schemas = Object.fromEntries(
    Array.from({ length: operations }, (_, at) => [
      `Resource${at}`,
      {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer', format: 'int64' },
          name: { type: 'string', maxLength: 255, description: `The name of resource ${at}.` },
          parent: { $ref: `#/components/schemas/Resource${Math.floor(at / 2)}` },
        },
      },
    ]),
  );
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title, version: '1.0.0' },
    paths,
    components: { schemas },
  });
}
