import { isIP } from 'node:net';
import { html } from '@petstore/http/html.ts';
import type { PlatformCertificate } from '../certificates/platform-names.ts';
import { parseProblem } from '../certificates/problem.ts';
import type { Deps } from '../deps.ts';
import type { DnsRecord } from '../domains/verdict.ts';
import type { EdgeResponse } from '../edge/http/response.ts';
import type { OwnHost } from '../edge/own-hosts/own-host.ts';
import { findPlatformCertificate } from '../store/platform-certificates.ts';
import { problemInWords } from '../zone/present-wildcard.ts';

/** How long an answer of the store holds, in milliseconds: anyone may ask. */
const KNOWN_MS = 1_000;

interface PlainOptions {
  /** The origin over HTTPS. */
  readonly origin: string;
  readonly certificate: PlatformCertificate;
  /** The DNS records to create. */
  readonly records: readonly DnsRecord[];
  readonly kind: 'dashboard' | 'API';
}

/** What is missing, in a sentence; undefined: the certificate is there. */
type Missing = string | undefined;

/**
 * The responses at a name of the installation's own without TLS: a redirect once there is a certificate, and until then
 * what is missing. Nothing is taken in the clear: no password, no API key.
 */
export function plainResponses(
  deps: Pick<Deps, 'db' | 'now'>,
  options: PlainOptions,
): OwnHost['plain'] {
  const missing = remembered(() => findMissing(deps, options.certificate), KNOWN_MS);
  const { origin, kind } = options;
  return async ({ method }, { rawPath, query }) => {
    if (method !== 'GET' && method !== 'HEAD')
      return errorResponse(403, 'forbidden', `Use HTTPS: ${origin}${rawPath}`);
    const found = await missing();
    if (found === undefined) return redirect(origin + rawPath + query);
    return kind === 'dashboard'
      ? pageResponse(found, options)
      : errorResponse(503, 'unavailable', `HTTPS is not there yet. ${found}`);
  };
}

async function findMissing(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { hostname, host }: PlatformCertificate,
): Promise<Missing> {
  const row = await findPlatformCertificate(db, hostname);
  if (row?.chain && (row.not_after ?? 0) > now()) return undefined;
  const problem = parseProblem(row?.last_problem ?? null);
  return problem ? problemInWords(problem, host) : 'The certificate is on its way.';
}

/** Asks no more often than every `ms` milliseconds. */
function remembered(ask: () => Promise<Missing>, ms: number): () => Promise<Missing> {
  let known: { readonly until: number; readonly answer: Promise<Missing> } | undefined;
  return () => {
    if (known && known.until > performance.now()) return known.answer;
    known = { until: performance.now() + ms, answer: ask() };
    known.answer.catch(() => {
      known = undefined;
    });
    return known.answer;
  };
}

function redirect(location: string): EdgeResponse {
  return {
    status: 301,
    headers: ['Location', location, 'Cache-Control', 'no-store', 'Content-Length', '0'],
    content: '',
  };
}

function errorResponse(status: number, code: string, message: string): EdgeResponse {
  const body = Buffer.from(JSON.stringify({ code, message, status }));
  return response(status, 'application/json; charset=utf-8', body);
}

function response(status: number, type: string, content: Buffer): EdgeResponse {
  return {
    status,
    headers: [
      ...['Content-Type', type, 'X-Content-Type-Options', 'nosniff', 'Cache-Control', 'no-store'],
      ...['Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'"],
      ...(status === 503 ? ['Retry-After', '30'] : []),
      ...['Content-Length', String(content.length)],
    ],
    content,
  };
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 46rem; padding: 3rem 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
.missing { border-inline-start: 3px solid #d97706; padding-inline-start: .9rem; }
.scroll { overflow-x: auto; border: 1px solid #8884; border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; font-size: .8125rem; }
th, td { text-align: start; padding: .5rem .75rem; overflow-wrap: anywhere; }
th { font-weight: 600; } tbody td { border-top: 1px solid #8884; font-family: ui-monospace, monospace; }
p { max-width: 42rem; }
@media (max-width: 40rem) {
  table, tbody, tr, td { display: block; } thead { display: none; }
  tr { padding: .5rem 0; } tr + tr { border-top: 1px solid #8884; }
  tbody td { border: 0; padding: .1rem .75rem; }
}`;

function pageResponse(missing: string, { certificate: { host }, records }: PlainOptions) {
  const rows = records.map(
    ({ name, type, value }) =>
      html`<tr><td>${name}.</td><td>${type}</td><td>${isIP(value) === 0 ? `${value}.` : value}</td></tr>`,
  );
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Being set up: ${host}</title><style>${STYLE}</style></head>
<body><main>
<h1>This dashboard is being set up</h1>
<p>HTTPS is not there yet, so nobody can sign in at this address. Load the page again in a minute.</p>
<p class="missing">${missing}</p>
<h2>The DNS records that it needs</h2>
<div class="scroll"><table><thead><tr><th>Name</th><th>Type</th><th>Value</th></tr></thead>
<tbody>${rows}</tbody></table></div>
<p>Whoever runs this server checks each of them in the dashboard on the server itself, under Account, DNS zone.</p>
</main></body></html>
`;
  return response(503, 'text/html; charset=utf-8', Buffer.from(page.text));
}
