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

/** As browsers escape names in a form: https://html.spec.whatwg.org/#multipart-form-data. */
function quoted(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}
