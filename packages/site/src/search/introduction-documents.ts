import { prefix } from '@petstore/service/text.ts';
import { isObject, type Schema, textOf } from '../openapi/openapi-types.ts';
import { schemeWords } from '../openapi/security-words.ts';
import { fragment, startPage } from '../reference/page-parts.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { type ShownScheme, shownSchemes } from '../reference/security-html.ts';
import { serversTitle, shownServers } from '../reference/servers-html.ts';
import { hrefOf } from '../site/site-files.ts';
import { headingSections } from './heading-sections.ts';
import { PLAIN_DOCUMENT, type SearchDocument } from './search-document.ts';

/** How many characters of a text are stored to be shown; all of them are searched. */
const EXCERPT = 1_000;

/** How many variables, values and scopes are searched. */
const MAX_LISTED = 500;

/**
 * The introduction of a reference as the search finds it: the page, the headings of its description, which have no
 * anchors, its servers and its security schemes.
 */
export function* introductionDocuments(context: ReferenceContext): Generator<SearchDocument> {
  const { document, addresses } = context;
  const info = isObject(document.info) ? document.info : {};
  const { title } = context;
  const href = hrefOf(addresses.overview);
  const section = { ...PLAIN_DOCUMENT, kind: 'section', href, context: title } as const;
  const sections = headingSections(textOf(info.description));
  const isOwn = ({ heading }: { heading: string }) => heading === '' || heading === title;
  yield {
    ...PLAIN_DOCUMENT,
    kind: 'page',
    title,
    href,
    topics: `overview introduction${isObject(info.license) ? ' license' : ''}`,
    ...shown([
      textOf(info.summary),
      ...sections.filter(isOwn).map(({ text }) => text),
      ...factsOf(info),
    ]),
  };
  for (const { heading, text } of sections.filter((one) => !isOwn(one))) {
    yield { ...section, title: heading, ...shown([text]) };
  }
  const servers = shownServers(document);
  if (servers.length > 0) {
    const texts = servers.flatMap((server) => serverTexts(context, server));
    const words = { name: 'baseUrl', topics: 'endpoint host address' };
    yield {
      ...section,
      ...words,
      title: serversTitle(servers),
      href: `${href}#servers`,
      ...shown(texts),
    };
  }
  const schemes = shownSchemes(startPage(context, '/info', 0));
  if (schemes.length === 0) return;
  yield {
    ...section,
    title: 'Authentication',
    href: `${href}#authentication`,
    name: 'authorization',
    topics: 'authenticate authorize security credentials login sign in',
    ...shown(schemes.map(({ name, scheme }) => `${name}: ${shownWords(scheme)}.`)),
  };
  for (const one of schemes) yield schemeDocument(context, one, href);
}

/** The version, and who is responsible for the API, in the words of the page. */
function factsOf(info: Record<string, unknown>): string[] {
  const [contact, license] = [info.contact, info.license].map((one) => (isObject(one) ? one : {}));
  const who = textsOf([contact?.name, contact?.email, contact?.url]).join(', ');
  const terms = textsOf([license?.name, license?.identifier]).join(', ');
  return [
    ...(textOf(info.version) ? [`Version ${textOf(info.version)}.`] : []),
    ...(who ? [`Contact: ${who}.`] : []),
    ...(terms ? [`Licence: ${terms}.`] : []),
    ...(textOf(info.termsOfService) ? ['Terms of service.'] : []),
  ];
}

/** The address of a server, what the document says of it, and its variables with their values. */
function serverTexts(
  { descriptions }: ReferenceContext,
  { url, description, variables }: Record<string, unknown>,
): string[] {
  const listed = Object.entries(isObject(variables) ? variables : {}).slice(0, MAX_LISTED);
  const texts = listed.flatMap(([name, given]) => {
    const variable = isObject(given) ? given : {};
    const values = Array.isArray(variable.enum) ? variable.enum.slice(0, MAX_LISTED) : [];
    const words = descriptions.plain(textOf(variable.description));
    return [name, words, ...new Set(textsOf([variable.default, ...values]))];
  });
  return [textOf(url), descriptions.plain(textOf(description)), ...texts];
}

function schemeDocument(
  { descriptions }: ReferenceContext,
  { name, scheme, id }: ShownScheme,
  href: string,
): SearchDocument {
  const words = searchWords(scheme);
  const flows = Object.values(isObject(scheme.flows) ? scheme.flows : {}).filter(isObject);
  const scopes = flows.flatMap((flow) =>
    Object.entries(isObject(flow.scopes) ? flow.scopes : {}).slice(0, MAX_LISTED),
  );
  return {
    ...PLAIN_DOCUMENT,
    kind: 'section',
    title: name,
    href: `${href}${fragment(id)}`,
    context: shownWords(scheme),
    name: words.name,
    topics: `authentication authorization ${words.others}`,
    ...shown([
      descriptions.plain(textOf(scheme.description)),
      ...Object.keys(isObject(scheme.flows) ? scheme.flows : {}),
      ...flows.flatMap((flow) => textsOf([flow.authorizationUrl, flow.tokenUrl])),
      ...new Set(scopes.flatMap(([scope, text]) => textsOf([scope, text]))),
    ]),
  };
}

/** A scheme as the page shows it. */
function shownWords(scheme: Schema): string {
  const { text, name } = schemeWords(scheme);
  return name === undefined ? text : `${text} ${name}`;
}

/** What a kind of scheme is called as one name, and by readers who look for it. */
interface SearchWords {
  readonly name: string;
  readonly others: string;
}

function searchWords({ type, scheme }: Schema): SearchWords {
  switch (type) {
    case 'apiKey':
      return { name: 'apiKey', others: 'token secret' };
    case 'http':
      return HTTP_WORDS.get(textOf(scheme).toLowerCase()) ?? { name: '', others: '' };
    case 'oauth2':
      return { name: 'OAuth', others: 'oauth2 access token scopes' };
    case 'openIdConnect':
      return { name: 'openIdConnect', others: 'oidc single sign-on' };
    case 'mutualTLS':
      return { name: 'mutualTLS', others: 'mtls' };
    default:
      return { name: '', others: '' };
  }
}

const HTTP_WORDS: ReadonlyMap<string, SearchWords> = new Map([
  ['basic', { name: 'basicAuth', others: 'login credentials' }],
  ['bearer', { name: 'bearerAuth', others: 'http access token' }],
]);

const textsOf = (values: readonly unknown[]): string[] =>
  values.map(textOf).filter((text) => text !== '');

function shown(texts: readonly string[]): Pick<SearchDocument, 'excerpt' | 'texts'> {
  const text = texts.filter((one) => one !== '').join(' ');
  return { excerpt: prefix(text, EXCERPT), texts: [text] };
}
