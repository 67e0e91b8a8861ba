import { hash } from 'node:crypto';
import { type Html, html } from '@petstore/http/html.ts';
import { isObject } from '@petstore/reference/operations.ts';
import {
  referencePage,
  referencePolicy,
  referenceStyle,
  startScript,
} from '@petstore/reference/page.ts';
import { panelSettings, referenceDocument } from '@petstore/reference/reference-document.ts';
import { scalarScript } from '@petstore/reference/scalar-script.ts';
import { prefix, truncate } from '@petstore/service/text.ts';
import { operationFiles } from '../markdown/operation-markdown.ts';
import { type CheckedDocument, type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import { plainText } from '../openapi/plain-text.ts';
import { serverOrigins } from '../openapi/servers.ts';
import { toJson, toYaml } from '../syntax/exact-text.ts';
import { type SiteFile, TYPES } from './site-files.ts';

export interface ReferenceOptions {
  /** The path of the reference page: `/`, or `/reference` beside guides. */
  readonly pagePath: string;
  /** HTML above the reference. */
  readonly header: Html;
  /** More for the page's head, such as stylesheets of the header. */
  readonly head: Html;
}

/**
 * The reference page and its files: the document, `/openapi.json`, `/openapi.yaml`, `/operations/*.md`, `/_assets/…`.
 */
export async function referenceFiles(
  checked: CheckedDocument,
  { pagePath, header, head }: ReferenceOptions,
): Promise<SiteFile[]> {
  const { document, upgraded } = checked;
  const title = titleOf(upgraded);
  const shown = asset(
    'reference',
    'json',
    TYPES.json,
    toJson(referenceDocument(withLinks(upgraded)), 0),
  );
  const assets = {
    scalar: asset('scalar', 'js', TYPES.javascript, await scalarScript()),
    start: asset('start', 'js', TYPES.javascript, startScript),
    style: asset('reference', 'css', TYPES.css, referenceStyle),
  };
  const page = referencePage({
    title,
    description: descriptionOf(upgraded) || `Reference of ${title}.`,
    header,
    head: html`<meta property="og:title" content="${title}">
<meta property="og:type" content="website">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${head}`,
    noScript: html`<p>The reference needs JavaScript. The same is in the
<a href="/openapi.yaml">OpenAPI document</a>, and as text in <a href="/llms-full.txt">llms-full.txt</a>.</p>`,
    settings: {
      title,
      documentUrl: shown.path,
      ...panelSettings(upgraded),
      rememberAs: 'reference-remember-key',
      isFramed: true,
      isServedByApi: false,
    },
    assets: { scalar: assets.scalar.path, start: assets.start.path, style: assets.style.path },
  });
  return [
    { path: pagePath, type: TYPES.html, content: page.text },
    shown,
    ...Object.values(assets),
    { path: '/openapi.json', type: TYPES.json, content: toJson(document) },
    { path: '/openapi.yaml', type: TYPES.yaml, content: toYaml(document) },
    ...operationFiles(checked),
  ];
}

/** A link to the uploaded document: the one that the page loads is adapted for Scalar. */
function withLinks(document: OpenApiDocument): OpenApiDocument {
  const info = isObject(document.info) ? document.info : {};
  const links = 'OpenAPI document: [JSON](/openapi.json), [YAML](/openapi.yaml)';
  return {
    ...document,
    info: { ...info, description: [links, textOf(info.description)].join('\n\n') },
  };
}

/** A file whose name changes with its content. */
export function asset(name: string, extension: string, type: string, content: string): SiteFile {
  const version = hash('sha256', content, 'hex').slice(0, 16);
  return { path: `/_assets/${name}-${version}.${extension}`, type, content, immutable: true };
}

/** The content security policy of every page of a site with a reference; it allows the document's servers. */
export function contentSecurityPolicy(document: OpenApiDocument): string {
  return referencePolicy(serverOrigins(document));
}

export function titleOf({ info }: OpenApiDocument): string {
  return (isObject(info) && prefix(textOf(info.title).replace(/\s+/g, ' ').trim(), 200)) || 'API';
}

/** Plain text of at most 300 characters. */
export function descriptionOf({ info }: OpenApiDocument): string {
  if (!isObject(info)) return '';
  return truncate(plainText().of(textOf(info.summary) || textOf(info.description)), 300);
}
