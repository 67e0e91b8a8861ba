import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SiteFile } from '../site-file.ts';
import { accents } from './accent.ts';

/** What pages load, each under a name with its content's hash: the same on all sites, so kept for ever. */
export interface SiteAssets {
  readonly files: readonly SiteFile[];
  readonly theme: string;
  readonly siteScript: string;
  readonly siteStyle: string;
  readonly pageStyle: string;
}

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** A file whose name has its content's hash. */
export function hashedFile(
  name: string,
  extension: string,
  type: string,
  content: string,
): SiteFile {
  const version = hash('sha256', content, 'hex').slice(0, 16);
  return { path: `/_assets/${name}-${version}.${extension}`, type, content, immutable: true };
}

const read = (file: string) => readFileSync(new URL(`browser/${file}`, import.meta.url), 'utf8');

let shared: SiteAssets | undefined;

/** Scripts and styles that all sites share. */
export function siteAssets(): SiteAssets {
  shared ??= makeAssets();
  return shared;
}

function makeAssets(): SiteAssets {
  const engine = readFileSync(new URL(import.meta.resolve('minisearch')), 'utf8');
  const withoutMap = engine.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  const miniSearch = hashedFile('minisearch', 'js', JAVASCRIPT, withoutMap);
  const terms = hashedFile('search-terms', 'js', JAVASCRIPT, read('search-terms.js'));
  const search = module('search', { 'minisearch.js': miniSearch, 'search-terms.js': terms });
  const site = module('site', { 'search.js': search });
  const theme = hashedFile('theme', 'js', JAVASCRIPT, read('theme.js'));
  const siteStyle = hashedFile('site', 'css', CSS, read('site.css'));
  const pageStyle = hashedFile('page', 'css', CSS, read('page.css'));
  return {
    files: [miniSearch, terms, search, site, theme, siteStyle, pageStyle],
    theme: theme.path,
    siteScript: site.path,
    siteStyle: siteStyle.path,
    pageStyle: pageStyle.path,
  };
}

/** A module whose imports lead to files with hashes in their names. */
function module(name: string, imports: Record<string, SiteFile>): SiteFile {
  let content = read(`${name}.js`);
  for (const [file, { path }] of Object.entries(imports)) {
    content = content.replace(`'./${file}'`, `'.${path.slice(path.lastIndexOf('/'))}'`);
  }
  return hashedFile(name, 'js', JAVASCRIPT, content);
}

/** A site's own colours. */
export function accentStyle(color: string): SiteFile {
  const { light, dark } = accents(color);
  return hashedFile('accent', 'css', CSS, `:root{--accent:light-dark(${light},${dark})}\n`);
}
