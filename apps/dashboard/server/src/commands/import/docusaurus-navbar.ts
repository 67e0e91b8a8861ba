import type { Doc } from './docusaurus-docs.ts';
import type { ImportedEntry } from './imported-site.ts';
import type { ImportedValue } from './imported-value.ts';

/** Whether an item of the navbar leads to a page of a sidebar: Docusaurus marks it as that sidebar's. */
export function leadsInto(
  item: ImportedValue,
  content: readonly ImportedEntry[],
  docs: readonly Doc[],
): boolean {
  const file = docs.find(({ id }) => id === item.get('docId')?.text)?.file;
  return file !== undefined && pageFiles(content).includes(file);
}

const pageFiles = (entries: readonly ImportedEntry[]): string[] =>
  entries.flatMap((entry) => {
    if (entry.kind === 'link') return [];
    if (entry.kind === 'page') return [entry.file];
    return [...(entry.page === undefined ? [] : [entry.page]), ...pageFiles(entry.entries)];
  });

/** `apiSidebar` as a title: `Api`. */
export function inWords(id: string): string {
  const name = id.replace(/[-_]?sidebar$/i, '') || id;
  return name.charAt(0).toUpperCase() + name.slice(1);
}

export const navbarItems = (config: ImportedValue): readonly ImportedValue[] =>
  config.get('themeConfig')?.get('navbar')?.get('items')?.items ?? [];
