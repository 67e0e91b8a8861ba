import { Type } from '@petstore/service/schema-builders.ts';
import type { Analytics } from '@petstore/site/site/readers/own-analytics.ts';
import type { Static } from 'typebox';
import { invalidRequest } from '../api-error.ts';

const MAX_ORIGINS = 5;
const MAX_ATTRIBUTES = 8;

/** An own script of analytics, as the API takes it. */
export const AnalyticsSetting = Type.Object(
  {
    script: Type.String({
      maxLength: 500,
      description: 'The address of the script, which begins with `https://`.',
      examples: ['https://stats.example.com/script.js'],
    }),
    attributes: Type.Optional(
      Type.Record(
        Type.String({
          maxLength: 200,
          description: 'An attribute of its element, whose name begins with `data-`.',
        }),
      ),
    ),
    origins: Type.Array(Type.String({ maxLength: 260 }), {
      minItems: 1,
      maxItems: MAX_ORIGINS,
      description:
        'The origins that pages may load scripts from and send requests to, such as `https://stats.example.com`. That of the script is one of them.',
    }),
  },
  { description: 'A script that all pages load.' },
);
export type AnalyticsSetting = Static<typeof AnalyticsSetting>;

/** Checks the setting, and spells its addresses as browsers do. Throws ApiError that says what to write. */
export function readAnalytics({ script, attributes = {}, origins }: AnalyticsSetting): Analytics {
  const own = [...new Set(origins.map(originOf))];
  const url = httpsUrl(script);
  if (url?.hash !== '')
    throw invalidRequest(
      'analytics.script must be an https address without a fragment, such as https://stats.example.com/script.js.',
    );
  if (!own.includes(url.origin))
    throw invalidRequest(
      `analytics.origins must have the origin of the script: add ${url.origin}.`,
    );
  if (Object.keys(attributes).length > MAX_ATTRIBUTES)
    throw invalidRequest(`analytics.attributes has more than ${MAX_ATTRIBUTES}.`);
  for (const [name, value] of Object.entries(attributes)) {
    if (!/^data-[a-z][a-z0-9-]{0,40}$/.test(name))
      throw invalidRequest(
        `analytics.attributes: ${JSON.stringify(name.slice(0, 60))} is no attribute that begins with data-, in lower case, such as data-domain.`,
      );
    // Pages are filled in byte by byte.
    if (!/^[\x20-\x7e]*$/.test(value))
      throw invalidRequest(`analytics.attributes.${name} must be letters of ASCII.`);
  }
  return { script: url.href, attributes, origins: own };
}

/** An origin with a name and nothing behind it: a wildcard, a path or another scheme would allow more than was meant. */
function originOf(text: string): string {
  const url = httpsUrl(text);
  const isOrigin = url && url.pathname === '/' && url.search === '' && url.hash === '';
  if (!isOrigin)
    throw invalidRequest(
      `analytics.origins: ${JSON.stringify(text.slice(0, 100))} is not an https origin, such as https://stats.example.com.`,
    );
  return url.origin;
}

function httpsUrl(text: string): URL | undefined {
  const url = /^https:\/\/[\x21-\x7e]+$/i.test(text) ? URL.parse(text) : null;
  if (url?.username !== '' || url.password !== '') return undefined;
  // What ends a directive or names several hosts in a policy.
  return /^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/.test(url.hostname) && !/[;,*'"]/.test(url.href)
    ? url
    : undefined;
}
