import { nearest } from '../../../nearest.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { typeNameOf } from './read-document.ts';
import { type Finding, misspellingHint } from './schema-problems.ts';

export type Version = '2.0' | '3.0' | '3.1';

const SUPPORTED = 'Swagger 2.0, OpenAPI 3.0 and OpenAPI 3.1 can be published';

/** The OpenAPI version of a document, or the problem with its version member. */
export function versionOf(document: OpenApiDocument): Version | Finding {
  const { swagger, openapi } = document;
  if (openapi === undefined && swagger === undefined) {
    return {
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
  const path = `/${name}`;
  if (typeof value !== 'string') {
    return {
      message: `\`${name}\` must be text; it is ${typeNameOf(value)}. Put it in quotes.`,
      path,
    };
  }
  if (name === 'swagger' && value === '2.0') return '2.0';
  const [, minor] =
    /^3\.([01])(?:\.\d+)?(?:-\w[\w.]*)?$/.exec(name === 'openapi' ? value : '') ?? [];
  if (minor !== undefined) return minor === '0' ? '3.0' : '3.1';
  return { message: `\`${name}\` is ${value}. ${SUPPORTED}.`, path };
}
