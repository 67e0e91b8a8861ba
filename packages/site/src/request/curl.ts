import type { BodyPart, BuiltRequest } from './build-request.ts';

/** A request as a command for a shell of Unix. Files are named as in the folder that it runs in. */
export function curlCommand({ method, url, headers, body }: BuiltRequest): string {
  // Of a form without a field curl is told nothing.
  const isSent = body !== undefined && (body.kind !== 'parts' || body.parts.length > 0);
  const usual = isSent ? 'POST' : 'GET';
  const flag = method === 'HEAD' ? '--head' : method === usual ? '' : `--request ${method}`;
  // Otherwise curl reads brackets as lists.
  const globoff = /[[\]{}]/.test(url) ? '--globoff' : '';
  const lines = [
    ['curl', flag, globoff, shell(url)].filter((word) => word !== '').join(' '),
    ...headers.map((header) => `--header ${shell(header.join(': '))}`),
  ];
  if (body?.kind === 'text') lines.push(`--data-raw ${shellText(body.text)}`);
  else if (body?.kind === 'file') lines.push(`--data-binary ${shell(`@${body.file.name}`)}`);
  else if (body?.kind === 'parts') lines.push(...body.parts.map(form));
  return lines.join(' \\\n  ');
}

function form({ name, content, type }: BodyPart): string {
  const media = type === undefined ? '' : `;type=${type}`;
  if (typeof content !== 'string')
    return `--form ${shell(`${name}=@"${escaped(content.name)}"${media}`)}`;
  if (type === undefined) return `--form-string ${shell(`${name}=${content}`)}`;
  return `--form ${shell(`${name}="${escaped(content)}"${media}`)}`;
}

/** Inside of curl's own quotation marks. */
const escaped = (text: string) => text.replace(/["\\]/g, '\\$&');

/** A text whose lines may end with carriage returns, which nobody would see between simple quotation marks. */
const shellText = (text: string) =>
  text.includes('\r')
    ? `"$(printf %b ${shell(text.replaceAll('\\', '\\\\').replaceAll('\r', '\\r'))})"`
    : shell(text);

const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
