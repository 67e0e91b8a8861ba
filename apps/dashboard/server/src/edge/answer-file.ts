import type { Answer } from './answer.ts';
import { byteRange } from './byte-range.ts';
import { acceptedCodings } from './content-coding.ts';
import { matchesTag } from './entity-tag.ts';
import type { Form, PreparedFile } from './prepared-file.ts';
import type { Question } from './question.ts';
import type { Content, SiteCache, Soon } from './site-cache.ts';

/**
 * The answer to a GET or HEAD with a file, in the form that the client prefers, or 304 when it has that
 * already. A promise only where the content has to be read first; it rejects as the cache does.
 */
export function answerFile(question: Question, file: PreparedFile, cache: SiteCache): Soon<Answer> {
  const { headers, method } = question;
  const isPart = headers.range !== undefined && method === 'GET' && file.status === 200;
  // Parts are those of the content as it is: whoever continues a download wants to save it.
  const form = isPart ? file.forms.identity : preferredForm(file, headers['accept-encoding']);

  const known = headers['if-none-match'];
  if (known !== undefined && file.status === 200 && matchesTag(known, form.etag)) {
    return { status: 304, headers: form.notModifiedHeaders, content: '' };
  }
  if (method === 'HEAD') return { status: file.status, headers: form.headers, content: '' };

  const answer = (content: Content): Answer =>
    (isPart && answerPart(question, form, content)) || {
      ...{ status: file.status, headers: form.headers, content },
    };
  const content = cache.content(form.hash, file.origin);
  return content instanceof Promise ? content.then(answer) : answer(content);
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

/** The part that was asked for, or 416; undefined where the whole content is to be sent. */
function answerPart(
  { headers: { range = '', 'if-range': ifRange } }: Question,
  { partHeaders, etag, size }: Form,
  content: Content,
): Answer | undefined {
  // RFC 9110, section 13.1.5: the strong comparison; a date never matches, for files have none here.
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const part = byteRange(range, size);
  if (part === undefined) return undefined;
  if (part === 'unsatisfiable') {
    const headers = ['Content-Range', `bytes */${size}`, 'Content-Length', '0'];
    return { status: 416, headers, content: '' };
  }
  const { start, end } = part;
  return {
    status: 206,
    headers: [
      ...partHeaders,
      ...['Content-Range', `bytes ${start}-${end - 1}/${size}`],
      ...['Content-Length', String(end - start)],
    ],
    content: typeof content === 'string' ? content.slice(start, end) : content.subarray(start, end),
  };
}
