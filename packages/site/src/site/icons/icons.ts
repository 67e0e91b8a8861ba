import { readFileSync } from 'node:fs';

// Outlines of Lucide's icons (LICENSE.txt) that fit documentation, each as what stands inside of its `<svg>`.

const OUTLINES: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('icons.json', import.meta.url), 'utf8'),
);

/** The names of all icons: `rocket`, `git-branch`. */
export const ICON_NAMES: readonly string[] = Object.keys(OUTLINES);

const EMOJI = /^\p{RGI_Emoji}$/v;

/** Whether a text is an icon: a name of the set, or an emoji. */
export const isIcon = (text: string): boolean => Object.hasOwn(OUTLINES, text) || EMOJI.test(text);

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
