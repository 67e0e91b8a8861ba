import { readFileSync } from 'node:fs';
import { decodeGrey, rowBytes } from './png.ts';

// The letters of preview images, drawn beforehand by scripts/preview-atlas: no font has to be on the machine, and none
// is read while a site is built.

/** `atlas.json`: what is where in `atlas.png`. */
export interface AtlasMetrics {
  readonly licence: string;
  /** Of the picture, in pixels. */
  readonly width: number;
  readonly height: number;
  /** For a letter those after it, by how much further they stand in hundredths of the font's size. */
  readonly kerning: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly fonts: Readonly<Record<FontName, FontMetrics>>;
}

type FontName = 'display' | 'text' | 'strong' | 'mono';

interface FontMetrics {
  /** In pixels. */
  readonly size: number;
  readonly letters: Readonly<Record<string, readonly number[]>>;
}

/** A letter: its box in the picture, and where that stands from the pen's place on the baseline, in pixels. */
export interface Glyph {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  /** How far the pen moves on. */
  readonly advance: number;
}

export interface Font {
  readonly size: number;
  readonly glyphs: ReadonlyMap<string, Glyph>;
  /** How much further the second of two letters stands from the first, in pixels. */
  readonly kerning: (first: string, second: string) => number;
}

export interface Atlas {
  readonly fonts: Readonly<Record<FontName, Font>>;
  /** In pixels. */
  readonly width: number;
  /** How much of each pixel its letter covers, 0 to 15. */
  readonly levels: Uint8Array;
}

let read: Atlas | undefined;

/** The atlas, which is read when it is first wanted. */
export function letterAtlas(): Atlas {
  read ??= readAtlas();
  return read;
}

function readAtlas(): Atlas {
  const metrics = JSON.parse(
    readFileSync(new URL('atlas.json', import.meta.url), 'utf8'),
  ) as AtlasMetrics;
  const { width, height, fonts } = metrics;
  const rows = decodeGrey(readFileSync(new URL('atlas.png', import.meta.url)));
  const levels = new Uint8Array(width * height);
  for (let y = 0, at = 0; y < height; y += 1) {
    const start = y * rowBytes(width) + 1;
    for (const pair of rows.subarray(start, start + width / 2)) {
      levels[at++] = pair >> 4;
      levels[at++] = pair & 15;
    }
  }
  const kerning = kerningPairs(metrics.kerning);
  const font = (name: FontName) => fontOf(fonts[name], name === 'mono' ? new Map() : kerning);
  return {
    fonts: {
      ...{ display: font('display'), text: font('text') },
      ...{ strong: font('strong'), mono: font('mono') },
    },
    ...{ width, levels },
  };
}

function kerningPairs(given: AtlasMetrics['kerning']): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>();
  for (const [first, others] of Object.entries(given))
    for (const [hundredths, seconds] of Object.entries(others))
      for (const second of seconds) pairs.set(first + second, Number(hundredths) / 100);
  return pairs;
}

function fontOf({ size, letters }: FontMetrics, pairs: ReadonlyMap<string, number>): Font {
  const glyphs = new Map(
    Object.entries(letters).map(([letter, numbers]) => {
      const [x = 0, y = 0, width = 0, height = 0, left = 0, top = 0, advance = 0] = numbers;
      return [letter, { x, y, width, height, left, top, advance }];
    }),
  );
  return {
    size,
    glyphs,
    kerning: (first, second) => (pairs.get(first + second) ?? 0) * size,
  };
}
