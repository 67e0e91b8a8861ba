import type { OpenApiDocument } from '../../src/openapi/openapi-types.ts';
import type { ReferenceContext } from '../../src/reference/reference-context.ts';

/** As much of a context as examples need. Warnings are put into `warnings`, as `place: message`. */
export function exampleContext(document: object, warnings: string[] = []): ReferenceContext {
  const context: Pick<ReferenceContext, 'document' | 'descriptions' | 'downloads' | 'warn'> = {
    document: document as OpenApiDocument,
    descriptions: {
      plain: (markdown) => markdown,
      block: () => {
        throw new Error('Examples have no descriptions.');
      },
      linkTo: () => undefined,
    },
    downloads: { json: '/openapi.json', yaml: '/openapi.yaml' },
    warn: (message, place) => warnings.push(`${place}: ${message}`),
  };
  return context as ReferenceContext;
}
