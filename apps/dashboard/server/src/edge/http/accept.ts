import { weightOf } from './content-coding.ts';

const HTML = 'text/html';
const MARKDOWN = 'text/markdown';

/** A parameter that both types have, the weight, or nothing, which may stand between semicolons. */
const KNOWN_PARAMETER = /^(?:q=.*|charset="?utf-8"?)?$/;

/**
 * Whether an Accept header asks for Markdown rather than for HTML (RFC 9110, section 12.5.1). It has to name Markdown:
 * a wildcard alone is what tools send that have no wish. Where both weigh the same, the one that comes first is meant;
 * the section leaves that to the server.
 */
export function prefersMarkdown(accept: string | undefined): boolean {
  // Browsers never name it, and each of their requests comes by here.
  if (accept === undefined || !/text\/markdown/i.test(accept)) return false;
  const weights = new Map<string, number>();
  for (const item of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = item.split(';').map((part) => part.trim());
    const isMet = parameters.every((parameter) => KNOWN_PARAMETER.test(parameter));
    if (isMet && !weights.has(range)) weights.set(range, weightOf(parameters));
  }
  const markdown = weights.get(MARKDOWN) ?? 0;
  const html = weights.get(HTML) ?? weights.get('text/*') ?? weights.get('*/*') ?? 0;
  if (markdown !== html) return markdown > html;
  const names = [...weights.keys()];
  return markdown > 0 && (!names.includes(HTML) || names.indexOf(MARKDOWN) < names.indexOf(HTML));
}
