import type { SchemaData } from './operation-data.ts';

/** Whether a text of this media type is JSON: `application/json`, `application/problem+json`. */
export function isJson(type: string): boolean {
  return /^[^;]*[/+]json\s*(?:;|$)/i.test(type);
}

/** Whether it is a list of JSON values, one on each line. */
export function isJsonLines(type: string): boolean {
  return /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines|json-seq)\b/i.test(type);
}

export function isUrlencoded(type: string): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(type);
}

export function isMultipart(type: string): boolean {
  return /^multipart\//i.test(type);
}

/**
 * The boundary of a `multipart` body that is given as text, which its first line says (RFC 2046, section 5.1.1); undefined
 * for other texts.
 */
export const boundaryOf = (text: string): string | undefined =>
  /^--([\w'()+,./:=?-]{1,70})[ \t]*\r?\n/.exec(text)?.[1];

/** Whether a body of this type is entered as text; otherwise it is a file. */
export function isText(type: string): boolean {
  return (
    isJson(type) ||
    isJsonLines(type) ||
    /^text\/|^[^;]*[/+](?:xml|yaml|x-yaml|javascript|graphql|toml|sql)\s*(?:;|$)/i.test(type)
  );
}

/** Whether a property of a form is a file. */
export function isFile({ type, format, media }: SchemaData): boolean {
  if (format === 'binary') return true;
  return media !== undefined && (type === undefined || !isText(media));
}
