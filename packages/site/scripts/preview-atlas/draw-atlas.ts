import { readFile, writeFile } from 'node:fs/promises';
import { launchBrowser } from '@petstore/test-support/launch-browser.ts';
import type { AtlasMetrics } from '../../src/site/preview/atlas.ts';
import { encodePng, rowBytes } from '../../src/site/preview/png.ts';
import { type Drawn, drawLetters, kerningOf } from './in-page.ts';

// Draws the letters of preview images into src/site/preview/atlas.png, and writes what is where to atlas.json. Run it
// after a change here: `npm ci` in this folder, then `node draw-atlas.ts`. It needs the browser of the tests.

/** Inter has other letters for other sizes: open ones for small text, dense ones for large. */
const INTER = { family: 'Inter Variable', package: 'inter', style: 'opsz.css' };
const MONO = { family: 'JetBrains Mono Variable', package: 'jetbrains-mono', style: 'wght.css' };

// Ranges of letters, in hexadecimal.

const ASCII = '21-7e';
const LATIN = `${ASCII} a1-ac ae-ff 2013-2014 2026`;

const TEXT = [
  LATIN,
  // Latin of other languages, Romanian and Vietnamese included.
  '100-17f 18f 1a0-1a1 1af-1b0 218-21b 259 1e9e 1ea0-1ef9',
  // Greek.
  '386 388-38a 38c 38e-3a1 3a3-3ce',
  // Cyrillic, with the letters of Ukrainian, Kazakh, Tatar and others.
  '400-45f 490-493 496-49b 4a2-4a3 4ae-4b3 4ba-4bb 4d8-4d9 4e8-4e9',
  // Punctuation, currencies, arrows and comparisons.
  '2015 2018-201e 2020-2022 2030 2032-2033 2039-203a 2044 20ac 20b4 20b9 20bd 2116 2122',
  '2191 2193 2212 2248 2260 2264-2265',
].join(' ');

/** Between these there may be less room than usual. Not between other signs, of which the font joins some. */
const KERNED = '30-39 41-5a 61-7a 22 26-29 2c-2f 3a-3b 3f 391-3a1 3a3-3a9 3b1-3c9 410-44f 2019';

/** `size` in pixels. */
const FONTS = {
  display: { font: INTER, weight: 650, size: 56, letters: TEXT },
  text: { font: INTER, weight: 500, size: 30, letters: TEXT },
  strong: { font: INTER, weight: 700, size: 26, letters: ASCII },
  mono: { font: MONO, weight: 500, size: 30, letters: LATIN },
} as const satisfies Record<keyof AtlasMetrics['fonts'], object>;

/** The width of the picture, in pixels. */
const WIDTH = 2_048;

/** The lightest of the 16 levels of the picture. */
const LEVELS = 15;

/** The letters of ranges. */
function lettersOf(ranges: string): string[] {
  return ranges.split(' ').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map((code) => Number.parseInt(code, 16));
    return Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at));
  });
}

/** The style of a package with its files in it. */
async function styleOf({ package: name, style }: typeof INTER): Promise<string> {
  const folder = new URL(`node_modules/@fontsource-variable/${name}/`, import.meta.url);
  const text = await readFile(new URL(style, folder), 'utf8');
  const urls = [
    ...new Set([...text.matchAll(/url\(\.\/(files\/[^)]+)\)/g)].map(([, url = '']) => url)),
  ];
  const files = await Promise.all(urls.map((url) => readFile(new URL(url, folder), 'base64')));
  return urls.reduce(
    (made, url, at) => made.replaceAll(`./${url}`, `data:font/woff2;base64,${files[at]}`),
    text,
  );
}

/** Puts letters in rows, the highest first. Gives where each begins, and the height of all. */
function arrange(drawn: readonly Drawn[]): {
  places: Map<Drawn, { x: number; y: number }>;
  height: number;
} {
  const places = new Map<Drawn, { x: number; y: number }>();
  let [x, y, rowHeight] = [0, 0, 0];
  for (const one of drawn.toSorted((a, b) => b.height - a.height)) {
    if (x + one.width > WIDTH) [x, y, rowHeight] = [0, y + rowHeight, 0];
    places.set(one, { x, y });
    x += one.width;
    rowHeight = Math.max(rowHeight, one.height);
  }
  return { places, height: y + rowHeight };
}

const browser = await launchBrowser();
try {
  const page = await browser.newPage();
  const styles = await Promise.all([INTER, MONO].map(styleOf));
  await page.setContent(`<style>${styles.join('\n')}</style>`);
  const fonts = await Promise.all(
    Object.entries(FONTS).map(async ([name, { font, weight, size, letters }]) => ({
      name,
      size,
      drawn: await page.evaluate(drawLetters, {
        ...{ font: `${weight} ${size}px "${font.family}"`, size, levels: LEVELS },
        letters: lettersOf(letters),
      }),
    })),
  );
  const kerning = await page.evaluate(kerningOf, {
    font: `${FONTS.display.weight} 100px "${INTER.family}"`,
    letters: lettersOf(KERNED),
  });
  const { places, height } = arrange(fonts.flatMap(({ drawn }) => drawn));
  const pixels = new Uint8Array(WIDTH * height);
  for (const [{ width, levels }, { x, y }] of places)
    levels.forEach((level, at) => {
      pixels[(y + Math.floor(at / width)) * WIDTH + x + (at % width)] = level;
    });
  const metrics: AtlasMetrics = {
    licence:
      'Letters of Inter and JetBrains Mono, under the SIL Open Font License 1.1: see OFL.txt.',
    ...{ width: WIDTH, height },
    kerning,
    fonts: Object.fromEntries(
      fonts.map(({ name, size, drawn }) => [
        name,
        {
          size,
          letters: Object.fromEntries(
            drawn.map((one) => {
              const { x, y } = places.get(one) ?? { x: 0, y: 0 };
              const { left, top, advance } = one;
              return [one.letter, [x, y, one.width, one.height, left, top, advance]];
            }),
          ),
        },
      ]),
    ) as unknown as AtlasMetrics['fonts'],
  };
  const packed = packedRows(pixels, WIDTH, height);
  const folder = new URL('../../src/site/preview/', import.meta.url);
  await writeFile(
    new URL('atlas.png', folder),
    encodePng({ width: WIDTH, height, palette: undefined, rows: packed }, 9),
  );
  await writeFile(new URL('atlas.json', folder), `${JSON.stringify(metrics)}\n`);
  for (const { name, drawn } of fonts) console.log(`${name}: ${drawn.length} letters`);
} finally {
  await browser.close();
}

/** Two pixels a byte, each row after a byte that says that it is not filtered. */
function packedRows(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const rows = new Uint8Array(rowBytes(width) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 2) {
      const [first = 0, second = 0] = pixels.subarray(y * width + x, y * width + x + 2);
      rows[y * rowBytes(width) + 1 + x / 2] = (first << 4) | second;
    }
  return rows;
}
