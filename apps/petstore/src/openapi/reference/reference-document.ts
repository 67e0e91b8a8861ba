import type { OpenAPIV3_1 } from 'openapi-types';
import type { OpenApiDocument } from '../document.ts';

type Operation = OpenAPIV3_1.OperationObject & {
  'x-stability'?: 'beta' | 'experimental';
  'x-deprecated-sunset'?: string;
  'x-hideTryItPanel'?: boolean;
  'x-badges'?: { name: string; color: string }[];
};

/** Readable on light and on dark ground. */
const COLORS = { beta: '#8a6100', experimental: '#8a4b00', deprecated: '#b3261e' };

/**
 * The document as the reference shows it: the extension fields (`x-stability`, `x-deprecated-sunset`,
 * `x-hideTryItPanel`), which its reader doesn't know, said in words and badges that it does; and without
 * numbers beyond 2^53, which the browser would show with other digits.
 */
export function referenceDocument(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths ?? {}).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods ?? {}).map(([method, operation]) => [
        method,
        present(operation as Operation, document),
      ]),
    ),
  ]);
  const info = {
    ...document.info,
    description: `${document.info.description} Each error code has [a page of its own](/errors).`,
  };
  return shown({ ...document, info, paths: Object.fromEntries(paths) }) as OpenApiDocument;
}

/** Leaves out the bounds of int64, which its name says, and shows a small number for a large one. */
function shown(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value % 1_000n);
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => !/^(minimum|maximum)$/.test(name) || typeof member !== 'bigint',
  );
  return Object.fromEntries(members.map(([name, member]) => [name, shown(member)]));
}

/** The operations of which no panel may be shown, as METHOD and path. */
export function withoutPanel({ paths = {} }: OpenApiDocument): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries((methods ?? {}) as Record<string, Operation>)
      .filter(([, operation]) => operation['x-hideTryItPanel'])
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
}

function present(operation: Operation, document: OpenApiDocument): Operation {
  const { 'x-stability': stability, 'x-deprecated-sunset': sunset, deprecated } = operation;
  const badges = [
    ...(stability ? [{ name: stability, color: COLORS[stability] }] : []),
    ...(deprecated && sunset
      ? [{ name: `until ${longDate(sunset)}`, color: COLORS.deprecated }]
      : []),
  ];
  const notes = [
    ...(deprecated && sunset
      ? [`**To be removed on ${longDate(sunset)}.** ${successor(document)}`]
      : []),
    ...(stability ? [STABILITY_NOTES[stability]] : []),
  ];
  return {
    ...operation,
    description: [...notes, operation.description ?? ''].join('\n\n'),
    ...(badges.length > 0 && { 'x-badges': badges }),
  };
}

const STABILITY_NOTES = {
  beta: '*Beta: it hardly changes any more.*',
  experimental: '*Experimental: it may change with any version.*',
} as const;

/** `5 December 2030`, from `2030-12-05`. */
function longDate(date: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(date),
  );
}

/** Points to what takes the place of the one operation that is deprecated. */
function successor({ paths = {} }: OpenApiDocument): string {
  const list = (paths['/pets'] as Record<string, Operation> | undefined)?.get;
  return list ? `Use [${list.summary}](#tag/pets/GET/pets) with a \`status\` filter.` : '';
}
