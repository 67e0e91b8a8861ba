import { readFileSync } from 'node:fs';
import { ICON_ALIASES } from './icon-aliases.ts';

// Outlines of Lucide's icons (LICENSE.txt) that fit documentation, each as what stands inside of its `<svg>`.

const OUTLINES: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('icons.json', import.meta.url), 'utf8'),
);

/** The names of all icons: `rocket`, `git-branch`. */
export const ICON_NAMES: readonly string[] = Object.keys(OUTLINES);

const EMOJI = /^\p{RGI_Emoji}$/v;

/** The icon that a text names: one of the set, by its name or by another one that is usual, or an emoji; else undefined. */
export function iconNamed(text: string): string | undefined {
  if (Object.hasOwn(OUTLINES, text) || EMOJI.test(text)) return text;
  return Object.hasOwn(ICON_ALIASES, text) ? ICON_ALIASES[text] : undefined;
}

/**
 * The rules that give elements with `data-icon` their outlines, for these names. Emojis among them need none. Masks, so
 * that an outline is in a site once however many pages show it, and has the colour of the text beside it.
 */
export function iconRules(names: Iterable<string>): string[] {
  return [...new Set(names)].sort().flatMap((name) => {
    const outline = Object.hasOwn(OUTLINES, name) ? OUTLINES[name] : undefined;
    if (outline === undefined) return [];
    const image = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#000" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${outline}</svg>`;
    const url = `data:image/svg+xml,${encodeURIComponent(image)}`;
    return [`[data-icon="${name}"]{--icon:url("${url}")}\n`];
  });
}
