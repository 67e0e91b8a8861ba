import { nearest } from '@petstore/service/nearest.ts';
import { type DocumentFinding, misspellingHint } from './document-finding.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { typeNameOf } from './read-document.ts';

type Version = '2.0' | '3.0' | '3.1' | '3.2';

const SUPPORTED = 'Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2 can be published';

/** The OpenAPI version of a document, or the problem with its version member. */
export function versionOf(document: OpenApiDocument): Version | DocumentFinding {
  const { swagger, openapi } = document;
  if (openapi === undefined && swagger === undefined) {
    return {
      rule: 'structure',
      message: `The document doesn't say its version. ${SUPPORTED}: begin with \`openapi: 3.1.0\`, for one.`,
      path: '',
      hint: (lineOf) => {
        for (const name of Object.keys(document)) {
          const meant = nearest(name, ['openapi', 'swagger']);
          if (meant !== undefined) return misspellingHint(name, [name], lineOf, meant);
        }
        return undefined;
      },
    };
  }
  const [name, value] = openapi === undefined ? ['swagger', swagger] : ['openapi', openapi];
  if (typeof value !== 'string') return numberForText(name, value);
  if (name === 'swagger' && value === '2.0') return '2.0';
  const [, minor] =
    /^3\.([012])(?:\.\d+)?(?:-\w[\w.]*)?$/.exec(name === 'openapi' ? value : '') ?? [];
  if (minor !== undefined) return `3.${minor}` as Version;
  return {
    rule: 'structure',
    message: `\`${name}\` is ${value}. ${SUPPORTED}.`,
    path: `/${name}`,
  };
}

const numberForText = (name: string, value: unknown): DocumentFinding => ({
  rule: 'structure',
  message: `\`${name}\` must be text; it is ${typeNameOf(value)}. Put it in quotes.`,
  path: `/${name}`,
});

/** Versions without quotes, which YAML reads as numbers: `3.0` is 3. */
const NUMBERS: ReadonlyMap<unknown, string> = new Map([
  [2, '2.0'],
  [3, '3.0.0'],
  [3.1, '3.1.0'],
  [3.2, '3.2.0'],
]);

/** The document with its version as text, where it is a number, and what is to be said of that. */
export function withVersionText(document: OpenApiDocument): {
  readonly document: OpenApiDocument;
  readonly findings: readonly DocumentFinding[];
} {
  for (const name of ['openapi', 'swagger']) {
    const value = document[name];
    const version = NUMBERS.get(value);
    if (version === undefined) continue;
    return { document: { ...document, [name]: version }, findings: [numberForText(name, value)] };
  }
  return { document, findings: [] };
}
