import { escaped } from '@petstore/http/html.ts';

/** A script of analytics that a site's owner adds to its pages. */
export interface Analytics {
  /** The address of the script, https. */
  readonly script: string;
  /** Attributes of its element: names that begin with `data-`. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The origins that pages may load scripts from and send requests to. */
  readonly origins: readonly string[];
}

/** A page with the script in its head. */
export function withAnalytics(page: string, { script, attributes }: Analytics): string {
  const given = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  const element = `<script defer src="${escaped(script)}"${given.join('')}></script>\n`;
  return page.replace(/<\/head>/i, (end) => element + end);
}

/** A page's policy, which also allows the origins for scripts and requests. */
export function policyWith(policy: string, { origins }: Pick<Analytics, 'origins'>): string {
  return policy
    .split('; ')
    .map((directive) =>
      /^(?:script|connect)-src /.test(directive) ? [directive, ...origins].join(' ') : directive,
    )
    .join('; ');
}
