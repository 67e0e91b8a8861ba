import { type CallToolResult, fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import type { WantedOperation } from './find-operation.ts';
import { getOperation } from './get-operation-tool.ts';
import { PAGE_CHARACTERS, readPage } from './read-page-tool.ts';
import { MAX_RESULTS, searchSite } from './search-tool.ts';
import type { SiteReader } from './site-reader.ts';
import { ToolError } from './tool-error.ts';

/** Adds the tools of a site. What keeps one from reading the site is told to `fail`, and not to the client. */
export function addTools(
  server: McpServer,
  reader: SiteReader,
  fail: (error: unknown) => void,
): void {
  const answer = async (work: () => Promise<CallToolResult>): Promise<CallToolResult> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ToolError) return refusal(error);
      fail(error);
      return refusal(new ToolError('The site cannot be read at the moment.'));
    }
  };

  server.registerTool('search', SEARCH, ({ query, limit }) =>
    answer(async () => {
      const found = await searchSite(reader, query, limit);
      return { content: [textOf(JSON.stringify(found))], structuredContent: { ...found } };
    }),
  );

  server.registerTool('read_page', READ_PAGE, ({ page, offset }) =>
    answer(async () => {
      const { markdown, start, end, total } = await readPage(reader, page, offset);
      const isWhole = start === 0 && end === total;
      const rest = end < total ? ` Call read_page with offset ${end} for what follows.` : '';
      const note = `These are the characters from ${start} to ${end} of ${total}.${rest}`;
      return { content: [textOf(markdown), ...(isWhole ? [] : [textOf(note)])] };
    }),
  );

  server.registerTool('get_operation', GET_OPERATION, (wanted) =>
    // Not as structured content: it would lose digits of 64-bit numbers.
    answer(async () => ({ content: [textOf(await getOperation(reader, wanted))] })),
  );
}

const textOf = (text: string) => ({ type: 'text', text }) as const;

/** Not as structured content: clients compare that with the tool's `outputSchema`. */
function refusal({ message }: ToolError): CallToolResult {
  return { isError: true, content: [textOf(message)] };
}

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

const string = (description: string, maxLength: number) =>
  ({ type: 'string', minLength: 1, maxLength, description }) as const;

const SEARCH = {
  title: 'Search the documentation',
  description:
    'Searches the guides, operations, parameters, properties and models of this site. Returns the best results first, each with its title, address and an excerpt.',
  annotations,
  inputSchema: fromJsonSchema<{ query: string; limit?: number }>({
    type: 'object',
    properties: {
      query: string('Words, a name such as listPets, or a path such as /pets/{petId}.', 500),
      limit: {
        ...{ type: 'integer', minimum: 1, maximum: MAX_RESULTS, default: MAX_RESULTS },
        description: 'The most results.',
      },
    },
    required: ['query'],
    additionalProperties: false,
  }),
  outputSchema: fromJsonSchema<Record<string, unknown>>({
    type: 'object',
    properties: {
      total: { type: 'integer', description: 'How many results there are in all.' },
      results: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            kind: { type: 'string', description: 'Such as operation, page, section or model.' },
            title: { type: 'string' },
            address: { type: 'string', description: 'For read_page.' },
            method: { type: 'string', description: 'Of an operation: for get_operation.' },
            context: {
              type: 'string',
              description:
                'The path of an operation: for get_operation. Otherwise where it stands.',
            },
            excerpt: { type: 'string' },
            api: {
              type: 'string',
              description: 'Of a site with several APIs, which one it is of: for get_operation.',
            },
            deprecated: { type: 'boolean' },
          },
          required: ['kind', 'title', 'address', 'context', 'excerpt'],
        },
      },
    },
    required: ['total', 'results'],
  }),
};

const READ_PAGE = {
  title: 'Read a page',
  description: `Reads a page of this site as Markdown, ${PAGE_CHARACTERS} characters at a time. The page /llms.txt lists all pages.`,
  annotations,
  inputSchema: fromJsonSchema<{ page: string; offset?: number }>({
    type: 'object',
    properties: {
      page: string('The address of the page, or its path, such as /guides/start.', 2_000),
      offset: {
        ...{ type: 'integer', minimum: 0, maximum: 1_000_000_000, default: 0 },
        description: 'The character to begin with, as the answer before said.',
      },
    },
    required: ['page'],
    additionalProperties: false,
  }),
};

const GET_OPERATION = {
  title: 'Get an operation',
  description:
    'Gets an operation of the documented API as JSON: its parameters, request body, responses, servers and security. Schemas are resolved. Those that lead back to themselves, those that a discriminator names, and large ones are in `definitions`, to which a `$ref` leads. Give operationId, or method and path; and api where several APIs of the site have such an operation.',
  annotations,
  inputSchema: fromJsonSchema<WantedOperation>({
    type: 'object',
    properties: {
      api: string('Of a site with several APIs, which one, as search names it: payments.', 100),
      operationId: string('Such as listPets.', 500),
      method: string('Such as GET.', 20),
      path: string('As the document has it, such as /pets/{petId}; of a webhook its name.', 2_000),
    },
    additionalProperties: false,
  }),
};
