// Makes packages/client/src/generated out of the service's committed document: npm run client.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const NOTICE = '// Made by npm run client. Do not edit.\n\n';

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Record<string, Schema>;
}

/** The files of src/generated, by name. */
export async function generate(): Promise<Record<string, string>> {
  const text = readFileSync(file('../../docs/openapi.json'), 'utf8');
  const document = JSON.parse(text);
  const ast = await openapiTypescript(document, {
    // A member with a default may be left out of a request.
    defaultNonNullable: false,
    transform: ({ format }) =>
      format === 'int64'
        ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)
        : undefined,
  });
  const codes = new Set([...text.matchAll(/"code": "(\w+)"/g)].map(([, code]) => code));
  const members = int64Members(Object.values(document.components.schemas));
  return {
    'api.ts': NOTICE + astToString(ast),
    'int64-members.ts': `${NOTICE}/** Members that are 64-bit integers, wherever they stand. */
export const INT64_MEMBERS: ReadonlySet<string> = new Set(${JSON.stringify(members)});
`,
    'error-codes.ts': `${NOTICE}export type ErrorCode =\n${[...codes]
      .sort()
      .map((code) => `  | '${code}'`)
      .join('\n')};\n`,
  };
}

/** Names of members that are int64. Throws where one is another kind of number elsewhere. */
function int64Members(schemas: readonly Schema[]): string[] {
  const members = schemas.flatMap(({ properties = {} }) => Object.entries(properties));
  const int64s = new Set(
    members.filter(([, { format }]) => format === 'int64').map(([name]) => name),
  );
  for (const [name, { type, format }] of members) {
    const isOther = (type === 'integer' || type === 'number') && format !== 'int64';
    if (isOther && int64s.has(name))
      throw new Error(`${name} is int64 in one schema and not in another`);
  }
  return [...int64s].sort();
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(await generate())) {
    writeFileSync(file(`../../packages/client/src/generated/${name}`), text);
  }
}
