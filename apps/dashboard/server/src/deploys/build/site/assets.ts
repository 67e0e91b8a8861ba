import { readFileSync } from 'node:fs';
import { accentColors } from './accent.ts';
import { TYPES } from './media-types.ts';
import { asset } from './reference-files.ts';
import type { SiteFile } from './site-files.ts';

/**
 * Files that pages load. The name of each has its content's hash and is the same on all sites, so it can be cached for
 * ever.
 */
export interface SiteAssets {
  readonly files: readonly SiteFile[];
  readonly theme: string;
  readonly siteScript: string;
  readonly siteStyle: string;
  readonly pageStyle: string;
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
  const miniSearch = asset('minisearch', 'js', TYPES.javascript, withoutMap);
  const terms = asset('search-terms', 'js', TYPES.javascript, read('search-terms.js'));
  const search = module('search', { 'minisearch.js': miniSearch, 'search-terms.js': terms });
  const site = module('site', { 'search.js': search });
  const theme = asset('theme', 'js', TYPES.javascript, read('theme.js'));
  const siteStyle = asset('site', 'css', TYPES.css, read('site.css'));
  const pageStyle = asset('page', 'css', TYPES.css, read('page.css'));
  return {
    files: [miniSearch, terms, search, site, theme, siteStyle, pageStyle],
    theme: theme.path,
    siteScript: site.path,
    siteStyle: siteStyle.path,
    pageStyle: pageStyle.path,
  };
}

/** A module whose imports point to files with hashes in their names. */
function module(name: string, imports: Record<string, SiteFile>): SiteFile {
  let content = read(`${name}.js`);
  for (const [file, { path }] of Object.entries(imports)) {
    content = content.replace(`'./${file}'`, `'.${path.slice(path.lastIndexOf('/'))}'`);
  }
  return asset(name, 'js', TYPES.javascript, content);
}

/** A site's own colours. */
export function accentStyle(color: string): SiteFile {
  const { light, dark } = accentColors(color);
  return asset('accent', 'css', TYPES.css, `:root{--accent:light-dark(${light},${dark})}\n`);
}
