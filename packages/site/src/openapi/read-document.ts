import { isUtf8 } from 'node:buffer';
import type { BuildProblem } from '../build-log.ts';
import { readJson } from '../syntax/read-json.ts';
import { readYaml } from '../syntax/read-yaml.ts';
import type { Source } from '../syntax/source.ts';
import type { OpenApiDocument } from './openapi-types.ts';

/** A text that was parsed. Its root is an object; nothing else is known of it. */
export interface ReadDocument extends Source {
  readonly value: OpenApiDocument;
}

const problem = (message: string, line: number | null = null) => ({
  problem: { message, path: '', line },
});

/** Reads a document, in JSON or YAML as `readSource` does. */
export function readDocument(
  bytes: Uint8Array,
  name: string,
): ReadDocument | { readonly problem: BuildProblem } {
  const source = readSource(bytes, name);
  if ('problem' in source) return source;
  const { value } = source;
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { ...source, value: value as OpenApiDocument };
  return problem(
    `The document must be an object with the member \`openapi\` or \`swagger\`; it is ${typeNameOf(value)}.`,
    1,
  );
}

/**
 * Reads JSON or YAML in UTF-8. The beginning of the text decides which of the two it is,
 * and the file's name where that is ambiguous.
 */
export function readSource(
  bytes: Uint8Array,
  name: string,
): Source | { readonly problem: BuildProblem } {
  if (isUtf16(bytes)) return problem('The document is in UTF-16. Save it as UTF-8.');
  if (!isUtf8(bytes)) {
    return problem(
      'This line has bytes that are not UTF-8. Save the document as UTF-8.',
      lineOfInvalid(bytes),
    );
  }
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return problem('The document is empty.');
  if (/^\ufeff?\s*<(?:!doctype html|html)\b/i.test(text.slice(0, 1_000))) {
    return problem(
      'This is a web page, not an OpenAPI document. Upload the document itself, such as `openapi.yaml`.',
      1,
    );
  }
  return read(text, bytes, name);
}

function read(text: string, bytes: Uint8Array, name: string): ReturnType<typeof readJson> {
  const isYamlName = /\.ya?ml$/i.test(name);
  const mayBeJson = /^\s*[[{]/.test(text) || /\.json$/i.test(name);
  if (!mayBeJson) return readYaml(text);
  const json = readJson(text, bytes);
  // YAML may begin with a brace, too.
  return 'problem' in json && isYamlName && !json.problem.path ? readYaml(text) : json;
}

function isUtf16([first, second, third]: Uint8Array): boolean {
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark || (first === 0 && second !== 0) || (first !== 0 && second === 0 && third !== 0);
}

/** The line of the first byte that is not UTF-8. */
function lineOfInvalid(bytes: Uint8Array): number {
  let line = 1;
  // No byte of a multi-byte character is a line feed.
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    const next = end < 0 ? bytes.length : end + 1;
    if (!isUtf8(bytes.subarray(start, next))) return line;
    start = next;
  }
  return line;
}

/** The type of a value for a sentence, such as `the number 1` or `text`. */
export function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return value === '' ? 'empty text' : 'text';
  if (typeof value === 'boolean') return String(value);
  return `the number ${value}`;
}
