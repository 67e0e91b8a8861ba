import type { BuiltRequest } from '../request/build-request.ts';
import { multipartBody } from '../request/multipart.ts';

const BOUNDARY = 'boundary';

/** A request as it is sent: RFC 9112. A file stands as its name. */
export function httpText({ method, url, headers, body }: BuiltRequest): string {
  const [, host = '', target = ''] = /^[a-z][\w+.-]*:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  const type =
    body?.kind === 'parts' ? [['Content-Type', `${body.type}; boundary=${BOUNDARY}`]] : [];
  const lines = [
    `${method} ${target.startsWith('/') ? target : `/${target}`} HTTP/1.1`,
    ...[['Host', host], ...headers, ...type].map((header) => header.join(': ')),
  ];
  return `${lines.join('\n')}${body === undefined ? '' : `\n\n${contentOf(body)}`}`;
}

function contentOf(body: NonNullable<BuiltRequest['body']>): string {
  if (body.kind === 'text') return body.text;
  const pieces = body.kind === 'file' ? [body.file] : multipartBody(body.parts, BOUNDARY);
  return pieces
    .map((piece) => (typeof piece === 'string' ? piece : `<${piece.name}>`))
    .join('')
    .replaceAll('\r\n', '\n')
    .trimEnd();
}
