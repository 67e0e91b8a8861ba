import type { BodyPart, BuiltBody, BuiltRequest } from '../request/build-request.ts';
import { isJson, isUrlencoded } from '../request/media-types.ts';

/** As the plugins of `@scalar/snippetz` take a request: a part of HAR 1.2. */
export interface HarRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly postData?: HarPostData;
}

interface HarPostData {
  readonly mimeType: string;
  readonly text?: string;
  readonly params?: readonly HarParam[];
}

interface HarParam {
  readonly name: string;
  readonly value?: string;
  readonly fileName?: string;
  readonly contentType?: string;
}

/** What a plugin does in its own way. */
export interface Quirks {
  /** It takes the body's media type for that of the request, so it must be the real one. */
  readonly isTyped?: boolean;
  /** The media type with which it sends any text; `text/plain` by default. */
  readonly textType?: string;
  /** Its language has no integers of 64 bits. */
  readonly hasFloats?: boolean;
  /** It puts headers, fields of forms, or all of a multipart body into quotation marks without escaping them. */
  readonly escapeHeader?: (text: string) => string;
  readonly escapeField?: (text: string) => string;
  readonly escapePart?: (text: string) => string;
}

const same = (text: string) => text;

/** `isRaw`: JSON is sent as the text that it is, not as values of the language. */
export function harRequest(
  { method, url, headers, body }: BuiltRequest,
  quirks: Quirks & { readonly isRaw?: boolean },
): HarRequest {
  const { escapeHeader = same } = quirks;
  return {
    method,
    url: url.replace(/["'`\\\s]/g, percent),
    headers: headers.map(([name, value]) => ({
      name: escapeHeader(name),
      value: /^authorization$/i.test(name) ? value : escapeHeader(value),
    })),
    ...(body && { postData: postDataOf(body, quirks) }),
  };
}

function postDataOf(
  body: BuiltBody,
  {
    isTyped,
    isRaw,
    textType = 'text/plain',
    escapeField = same,
    escapePart = same,
  }: Quirks & {
    readonly isRaw?: boolean;
  },
): HarPostData {
  if (body.kind === 'parts') {
    return {
      mimeType: 'multipart/form-data',
      params: body.parts.map((part) => paramOf(part, escapePart)),
    };
  }
  if (body.kind === 'file') {
    return { mimeType: isTyped ? body.type : textType, text: `<${body.file.name}>` };
  }
  const { type, text } = body;
  const fields = isUrlencoded(type) ? [...new URLSearchParams(text)] : [];
  // Most languages write the fields into a map, where the last one of a name would be the only one.
  if (fields.length > 0 && new Set(fields.map(([name]) => name)).size === fields.length) {
    const params = fields.map(([name, value]) => ({
      name: escapeField(name),
      value: escapeField(value),
    }));
    return { mimeType: 'application/x-www-form-urlencoded', params };
  }
  if (isTyped) return { mimeType: type, text };
  return { mimeType: isJson(type) && !isRaw ? 'application/json' : textType, text };
}

function paramOf({ name, content, type }: BodyPart, safe: (text: string) => string): HarParam {
  const part =
    typeof content === 'string' ? { value: safe(content) } : { fileName: safe(content.name) };
  return { name: safe(name), ...part, ...(type !== undefined && { contentType: type }) };
}

const percent = (char: string) =>
  `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
