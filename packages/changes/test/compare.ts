import type { Change } from '../src/change.ts';
import { type CompareOptions, compareDocuments } from '../src/compare-documents.ts';

type Json = Readonly<Record<string, unknown>>;

export const TODAY = '2026-11-30';

/** Compares two documents whose places have no lines. */
export function compare(old: Json, now: Json, options: CompareOptions = {}): readonly Change[] {
  const of = (document: Json, file: string) => ({
    document,
    placeOf: (pointer: string) => ({ file, pointer, line: null }),
  });
  return compareDocuments(of(old, 'old.json'), of(now, 'new.json'), { today: TODAY, ...options })
    .changes;
}

/** `breaking request-type-changed`, without what is said of documentation. */
export const verdicts = (changes: readonly Change[]): string[] =>
  changes
    .filter(({ verdict }) => verdict !== 'documentation')
    .map(({ verdict, code }) => `${verdict} ${code}`);

/** A document with one operation. */
export function api(operation: Json, more: Json = {}): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    paths: { '/pets': { post: { responses: {}, ...operation } } },
    ...more,
  };
}

const json = (schema: unknown) => ({ content: { 'application/json': { schema } } });

/** A document whose request has a schema. */
export const taking = (schema: unknown, more: Json = {}): Json =>
  api({ requestBody: json(schema) }, more);

/** A document whose response has a schema. */
export const giving = (schema: unknown, more: Json = {}): Json =>
  api({ responses: { 200: { description: 'The pet', ...json(schema) } } }, more);
