import { accentColors } from './accent.ts';
import { asset } from './asset.ts';
import { type SiteFile, TYPES } from './site-files.ts';

export const DEFAULT_COLOR = '#0a58ca';

/** What a site looks like, besides what all sites share. */
export interface Theme {
  /** `#0a58ca` */
  readonly color: string;
  /** On dark pages; undefined for the same. */
  readonly darkColor: string | undefined;
  /** Fonts of its own; none for those of the reader's system. */
  readonly fonts: readonly ThemeFont[];
  /** The rules of the icons that pages show. */
  readonly iconRules: readonly string[];
  /** A style of the site's own, which comes last; undefined for none. */
  readonly ownStyle: Uint8Array | undefined;
}

/** A font in WOFF2, in one weight or all. */
export interface ThemeFont {
  /** Text, or code. */
  readonly use: 'body' | 'code';
  /** As `font-weight` of `@font-face` has it: `400`, or `100 900` for a variable font. */
  readonly weight: string;
  readonly content: Uint8Array;
}

/** The files of a theme that pages load. */
export interface ThemeFiles {
  /** The colour, legible on light and dark pages; undefined for the usual one. */
  readonly accent: { readonly light: string; readonly dark: string } | undefined;
  /** undefined for the usual look, which the common style has. */
  readonly style: SiteFile | undefined;
  /** The site's own, loaded after all others. */
  readonly ownStyle: SiteFile | undefined;
  readonly fonts: readonly SiteFile[];
  /** The font that pages fetch at once, since all their text is in it: the first one of texts. */
  readonly preloaded: SiteFile | undefined;
}

/** In lists of fonts, with what shows until it is there. */
const FAMILIES = {
  body: { variable: '--sans', name: 'Site body', otherwise: 'system-ui,sans-serif' },
  code: { variable: '--mono', name: 'Site code', otherwise: 'ui-monospace,monospace' },
} as const;

/** Makes the files of a theme. */
export function themeFiles({
  color,
  darkColor = color,
  fonts,
  iconRules,
  ownStyle,
}: Theme): ThemeFiles {
  const made = fonts.map((font) => ({
    ...font,
    file: asset(`font-${font.use}`, 'woff2', TYPES.woff2, font.content),
  }));
  const uses = [...new Set(made.map(({ use }) => use))];
  const [light, dark] = [accentColors(color).light, accentColors(darkColor).dark];
  const isUsual = color === DEFAULT_COLOR && darkColor === DEFAULT_COLOR;
  const values = [
    ...(isUsual ? [] : [`--accent:light-dark(${light},${dark})`]),
    ...uses.map((use) => {
      const { variable, name, otherwise } = FAMILIES[use];
      return `${variable}:"${name}",${otherwise}`;
    }),
  ];
  const faces = made.map(
    ({ use, weight, file }) =>
      // The system's font shows until this one is there.
      `@font-face{font-family:"${FAMILIES[use].name}";font-weight:${weight};font-display:swap;src:url(${file.path}) format("woff2")}\n`,
  );
  const root = values.length === 0 ? '' : `:root{${values.join(';')}}\n`;
  const style = [...faces, root, ...iconRules].join('');
  return {
    accent: isUsual ? undefined : { light, dark },
    style: style === '' ? undefined : asset('custom', 'css', TYPES.css, style),
    ownStyle: ownStyle && asset('own', 'css', TYPES.css, ownStyle),
    fonts: [...new Map(made.map(({ file }) => [file.path, file])).values()],
    preloaded: made.find(({ use }) => use === 'body')?.file,
  };
}
