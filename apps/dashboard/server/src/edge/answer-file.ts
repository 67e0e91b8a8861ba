import type { IncomingMessage, ServerResponse } from 'node:http';
import { byteRange } from './byte-range.ts';
import { acceptedCodings } from './content-coding.ts';
import { matchesTag } from './entity-tag.ts';
import type { Form, PreparedFile } from './prepared-file.ts';
import type { Content, SiteCache } from './site-cache.ts';

/**
 * Answers a GET or HEAD with a file, in the form that the client prefers, or with 304 when it has that
 * already. A promise only where the content has to be read first; it rejects as the cache does, before
 * anything is sent.
 */
export function answerFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: PreparedFile,
  cache: SiteCache,
): undefined | Promise<void> {
  const { headers, method } = request;
  const isPart = headers.range !== undefined && method === 'GET' && file.status === 200;
  // Parts are those of the content as it is: whoever continues a download wants to save it.
  const form = isPart ? file.forms.identity : preferredForm(file, headers['accept-encoding']);

  const known = headers['if-none-match'];
  if (known !== undefined && file.status === 200 && matchesTag(known, form.etag)) {
    response.writeHead(304, form.notModifiedHeaders as string[]);
    response.end();
    return undefined;
  }
  if (method === 'HEAD') {
    response.writeHead(file.status, form.headers as string[]);
    response.end();
    return undefined;
  }

  const send = (content: Content) => {
    if (!isPart || !sendPart(request, response, form, content)) {
      response.writeHead(file.status, form.headers as string[]);
      response.end(content, 'latin1');
    }
  };
  const content = cache.content(form.hash, file.origin);
  if (content instanceof Promise) return content.then(send);
  send(content);
  return undefined;
}

/** The form that a client prefers who sent this Accept-Encoding. */
export function preferredForm({ forms }: PreparedFile, acceptEncoding: string | undefined): Form {
  if (acceptEncoding === undefined || (!forms.br && !forms.gzip)) return forms.identity;
  for (const coding of acceptedCodings(acceptEncoding)) {
    const form = forms[coding];
    if (form) return form;
  }
  return forms.identity;
}

/** Sends the part that was asked for, or 416; false where the whole content is to be sent. */
function sendPart(
  { headers: { range = '', 'if-range': ifRange } }: IncomingMessage,
  response: ServerResponse,
  { partHeaders, etag, size }: Form,
  content: Content,
): boolean {
  // RFC 9110, section 13.1.5: the strong comparison; a date never matches, for files have none here.
  if (ifRange !== undefined && ifRange !== etag) return false;
  const part = byteRange(range, size);
  if (part === undefined) return false;
  if (part === 'unsatisfiable') {
    response.writeHead(416, ['Content-Range', `bytes */${size}`, 'Content-Length', '0']);
    response.end();
    return true;
  }
  const { start, end } = part;
  response.writeHead(206, [
    ...partHeaders,
    ...['Content-Range', `bytes ${start}-${end - 1}/${size}`],
    ...['Content-Length', String(end - start)],
  ]);
  response.end(
    typeof content === 'string' ? content.slice(start, end) : content.subarray(start, end),
    'latin1',
  );
  return true;
}
