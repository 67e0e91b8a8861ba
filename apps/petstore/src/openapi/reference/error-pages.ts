import { type ApiErrorCode, ERRORS } from '@petstore/http/errors.ts';
import { type Html, html } from '@petstore/http/html.ts';
import type { FastifyPluginCallback } from 'fastify';
import { pathNotFound } from '../../http/api-error.ts';
import { ERROR_GUIDE } from '../../http/error-guide.ts';
import { paragraph, sendPage } from './text-page.ts';

const CODES = Object.keys(ERRORS) as ApiErrorCode[];

/** A page for each error code, and a list of them: what a client that got one should know. */
export const errorPages: FastifyPluginCallback = (app, _options, done) => {
  app.get('/errors', { schema: { hide: true } }, (_request, reply) => {
    sendPage(reply, 'Errors · Petstore', index());
  });

  app.get<{ Params: { code: string } }>(
    '/errors/:code',
    { schema: { hide: true } },
    (request, reply) => {
      const code = CODES.find((known) => known === request.params.code);
      if (code === undefined) throw pathNotFound();
      sendPage(reply, `${code} · Petstore`, page(code));
    },
  );

  done();
};

function index(): Html {
  const rows = CODES.map(
    (
      code,
    ) => html`<tr><td>${ERRORS[code].status}</td><td><a href="/errors/${code}"><code>${breakable(code)}</code></a></td><td>${ERRORS[code].meaning}</td></tr>
`,
  );
  return html`<nav><a href="/reference">API reference</a></nav>
<h1>Errors</h1>
<p class="lead">Every error response has the same body, and its code is one of these.</p>
<table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
<p>More codes may be added: treat one that you do not know by its status.</p>
<p>In a sandbox, faults can be asked for with <code>Petstore-Fault</code> or as rules. Such a response has the code that
was asked for, or <code>injected_fault</code> where its status has no code above. It means nothing but that: the
header <code>Petstore-Fault-Applied</code> says what happened.</p>`;
}

/** A code that may break between its words where there is little room. */
function breakable(code: string): readonly Html[] {
  const [first = '', ...words] = code.split('_');
  return [html`${first}`, ...words.map((word) => html`_<wbr>${word}`)];
}

function page(code: ApiErrorCode): Html {
  const { status, meaning } = ERRORS[code];
  const body = JSON.stringify({ code, message: '…', status }, null, 2);
  return html`<nav><a href="/reference">API reference</a> · <a href="/errors">All errors</a></nav>
<h1><code>${code}</code></h1>
<p class="lead">${status} · ${meaning}</p>
${ERROR_GUIDE[code].map(paragraph)}
<pre tabindex="0"><code>${body}</code></pre>
<p>The message says more about the request at hand. To report a problem, quote the
<code>X-Request-Id</code> header of the response.</p>`;
}

/** The content of docs/errors.md. */
export function errorsMarkdown(): string {
  const sections = CODES.map(
    (code) =>
      `## \`${code}\` (${ERRORS[code].status})\n\n${ERROR_GUIDE[code].map(wrapped).join('\n\n')}\n`,
  );
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

const INTRODUCTION = `# Errors

Every error response has the same body, and no other members:

\`\`\`json
{ "code": "invalid_request", "message": "limit must be an integer from 1 to 100.", "status": 400 }
\`\`\`

\`code\` is for programs and never changes its meaning; a retired one is never used again. \`message\` is
for people and may change. \`status\` repeats the HTTP status. The request's id is in the
\`X-Request-Id\` header: quote it when you report a problem. The log names the request by it, for errors
from 500 up, slow ones and, with \`PETSTORE_ACCESS_LOG=all\`, for every request.

More codes may be added: treat one that you do not know by its status. The service has each of these
sections as a page of its own at \`/errors/CODE\`.

In a sandbox, [faults](faults.md) can be asked for. Such a response has the code that was asked for, or
\`injected_fault\` where its status has no code below. That one has no page: it means nothing but that the fault was
asked for, and the header \`Petstore-Fault-Applied\` says what happened.
`;

const WIDTH = 100;

function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}
