// A document like that of an API for language models, with one of each thing that is found.

const json = (schema: object, more: object = {}) => ({
  content: { 'application/json': { schema, ...more } },
});

const MODEL = {
  type: 'object',
  properties: {
    model: { type: 'string', enum: ['small-2', 'large-2'] },
    temperature: { type: 'number', description: 'How much chance there is.' },
    max_tokens: { type: 'integer' },
    messages: {
      type: 'array',
      items: { type: 'object', properties: { role: { type: 'string' }, toolCalls: {} } },
    },
  },
};

export const ASSISTANTS = {
  openapi: '3.1.0',
  info: { title: 'Assistants', version: '1' },
  tags: [{ name: 'Chat', description: 'Conversations with a *model*.' }],
  paths: {
    '/chat/completions': {
      post: {
        operationId: 'createChatCompletion',
        summary: 'Create a chat completion',
        tags: ['Chat'],
        requestBody: json({ $ref: '#/components/schemas/CreateChatCompletionRequest' }),
        responses: {
          200: {
            description: 'Done',
            ...json({
              type: 'object',
              properties: { finish_reason: { type: 'string', enum: ['stop', 'content_filter'] } },
            }),
          },
        },
      },
    },
    '/embeddings': {
      post: {
        operationId: 'createEmbedding',
        summary: 'Create embeddings',
        description: 'Makes a vector of a text, which machines compare.',
        tags: ['Embeddings'],
        requestBody: json(
          { type: 'object', properties: { input: { type: 'string' } } },
          { example: { input: 'The quick sparrow' } },
        ),
        responses: { 200: { description: 'Done' } },
      },
    },
    '/files/{fileId}': {
      parameters: [{ name: 'fileId', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'retrieveFile',
        summary: 'Retrieve a file',
        tags: ['Files'],
        parameters: [{ name: 'after', in: 'query', schema: { type: 'string' } }],
        responses: { 200: { description: 'Done' } },
      },
      delete: {
        operationId: 'deleteFile',
        summary: 'Delete a file',
        tags: ['Files'],
        responses: { 200: { description: 'Done' } },
      },
    },
  },
  webhooks: {
    fileRetrieved: {
      post: { summary: 'Retrieve a file', responses: { 200: { description: 'Done' } } },
    },
  },
  components: { schemas: { CreateChatCompletionRequest: MODEL, FileObject: { type: 'object' } } },
};
