import type { BodyPart, FileLike } from './build-request.ts';

/**
 * A `multipart` body as the texts and files that follow each other. Browsers' own `FormData` would turn a text with a
 * media type into a file. `boundary` must not occur in the parts.
 */
export function multipartBody(parts: readonly BodyPart[], boundary: string): (string | FileLike)[] {
  const pieces = parts.flatMap(({ name, content, type }): (string | FileLike)[] => {
    const isText = typeof content === 'string';
    const file = isText ? '' : `; filename="${quoted(content.name)}"`;
    const media = type || (isText ? '' : content.type || 'application/octet-stream');
    const head = [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${quoted(name)}"${file}`,
      ...(media === '' ? [] : [`Content-Type: ${media}`]),
    ];
    return [`${head.join('\r\n')}\r\n\r\n`, content, '\r\n'];
  });
  return [...pieces, `--${boundary}--\r\n`];
}

/**
 * The boundary of a `multipart` body that is given as text, which its first line says (RFC 2046, section 5.1.1); undefined
 * for other texts.
 */
export const boundaryOf = (text: string): string | undefined =>
  /^--([\w'()+,./:=?-]{1,70})[ \t]*\r?\n/.exec(text)?.[1];

/** As browsers escape names in a form: https://html.spec.whatwg.org/#multipart-form-data. */
function quoted(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}
