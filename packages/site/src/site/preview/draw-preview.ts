import { accentColors, parseColor } from '../accent.ts';
import { mix, type Rgb } from '../rgb.ts';
import { type Font, letterAtlas } from './atlas.ts';
import { Canvas, type Ramp, ramp } from './canvas.ts';
import { encodePng } from './png.ts';
import { drawable, layOut, linesOf } from './text-lines.ts';

/** In pixels: what the networks that show previews ask for. */
export const PREVIEW_SIZE = { width: 1_200, height: 630 } as const;

/** What a preview image says. Texts with letters that the atlas lacks are left out. */
export interface PreviewText {
  readonly title: string;
  /** Below a short title; empty for none. */
  readonly description: string;
  /** Above the title of a page that is no operation; undefined for nothing. */
  readonly label: string | undefined;
  readonly operation: { readonly method: string; readonly path: string } | undefined;
}

/** What all preview images of a site have. */
export interface PreviewedSite {
  readonly title: string;
  /** The theme's: `#0a58ca`. */
  readonly color: string;
}

/** A preview image before it is drawn. */
export interface PreviewImage {
  readonly site: PreviewedSite;
  readonly text: PreviewText;
}

/**
 * The version of what images look like. Their names have it, and browsers keep them for ever: whoever changes what is
 * drawn raises it.
 */
export const DRAWING = 1;

const MARGIN = 80;
const STRIPE = 12;
const LINE = { display: 68, text: 44, mono: 42 } as const;
/** The baseline of the last line. */
const BOTTOM = PREVIEW_SIZE.height - STRIPE - 58;
const TEXT_WIDTH = PREVIEW_SIZE.width - 2 * MARGIN;

/** Of the title and the description together. */
const MAX_LINES = 3;

/** The longest text that is looked at, in letters: no more has room. */
const MAX_LETTERS = 300;

// The palette: the ground, then the steps from it to each colour, which make the edges of letters smooth.
const INK = ramp(1, 3);
const SOFT = ramp(4, 3);
const ACCENT = ramp(7, 3);
const CHIP = ramp(10, 2);
/** On a chip. */
const CHIP_INK = ramp(12, 3);
/** The ornament, from faint to strong. */
const DOTS = [15, 7, 8] as const;

const NIGHT: Rgb = [10, 12, 18];
const WHITE: Rgb = [255, 255, 255];

/** The colours of methods, as dark pages have them. */
const METHODS: Readonly<Record<string, Rgb>> = {
  GET: [138, 184, 255],
  POST: [95, 211, 162],
  PUT: [240, 181, 106],
  PATCH: [240, 181, 106],
  DELETE: [255, 154, 154],
};
const OTHER_METHOD: Rgb = [180, 186, 199];

type Paint = (text: PreviewText) => Buffer;

let last: { readonly site: PreviewedSite; readonly paint: Paint } | undefined;

/** Draws an image: a PNG of 7 kB on average, and 15 at most. The same text makes the same bytes. */
export function drawPreview({ site, text }: PreviewImage): Buffer {
  const isSame = last?.site.title === site.title && last.site.color === site.color;
  if (!last || !isSame) last = { site, paint: painter(site) };
  return last.paint(text);
}

function painter({ title, color }: PreviewedSite): Paint {
  const { fonts } = letterAtlas();
  const name = drawable(title.slice(0, MAX_LETTERS), fonts.text);
  const plain = drawFrame();
  const frame = drawFrame();
  const [line = ''] = linesOf(name, fonts.text, 560, 1);
  drawLine(frame, { text: line, font: fonts.text, x: MARGIN + 60, y: 108, colors: INK });
  const canvas = new Canvas(PREVIEW_SIZE.width, PREVIEW_SIZE.height);
  return (text) => {
    // Where the page is called as the site, one name is enough.
    canvas.rows.set(text.title === title ? plain.rows : frame.rows);
    drawText(canvas, text);
    const palette = paletteOf(color, METHODS[text.operation?.method ?? ''] ?? OTHER_METHOD);
    return encodePng({ ...PREVIEW_SIZE, palette, rows: canvas.rows }, DEFLATE_LEVEL);
  };
}

/** A third of the time goes into it. Level 4 would save a fifth of the bytes, and take twice as long. */
const DEFLATE_LEVEL = 2;

function paletteOf(color: string, method: Rgb): Uint8Array {
  const accent = parseColor(accentColors(color).dark);
  const ground = mix(NIGHT, parseColor(color), 0.1);
  const steps = (from: Rgb, to: Rgb, shares: readonly number[]) =>
    shares.map((share) => mix(from, to, share));
  return Uint8Array.from(
    [
      ground,
      ...steps(ground, WHITE, [0.33, 0.67, 1]),
      ...steps(ground, mix(ground, WHITE, 0.64), [0.33, 0.67, 1]),
      ...steps(ground, accent, [0.33, 0.67, 1]),
      ...steps(ground, method, [0.5, 1]),
      ...steps(method, mix(ground, NIGHT, 0.5), [0.33, 0.67, 1]),
      ...steps(ground, accent, [0.18]),
    ].flat(),
  );
}

/** What all images of a site have: the ornament, the mark of its documentation, and a stripe of its colour. */
function drawFrame(): Canvas {
  const { width, height } = PREVIEW_SIZE;
  const canvas = new Canvas(width, height);
  drawDots(canvas);
  canvas.fill({ x: 0, y: height - STRIPE, width, height: STRIPE }, ACCENT[15] ?? 0);
  canvas.fillRound({ x: MARGIN, y: 74, width: 44, height: 44 }, 11, ACCENT);
  // A page with lines.
  canvas.fill({ x: MARGIN + 13, y: 86, width: 18, height: 4 }, 0);
  canvas.fill({ x: MARGIN + 13, y: 94, width: 18, height: 4 }, 0);
  canvas.fill({ x: MARGIN + 13, y: 102, width: 11, height: 4 }, 0);
  return canvas;
}

/** A grid of dots in the upper right corner, which fades towards the text. Its rows are alike, so it takes few bytes. */
const GRID = { pitch: 28, dot: 4, reach: 460 } as const;

function drawDots(canvas: Canvas): void {
  const { pitch, dot, reach } = GRID;
  for (let down = pitch / 2; down < reach; down += pitch)
    for (let left = pitch / 2; left < reach; left += pitch) {
      const color = DOTS[Math.floor(DOTS.length * (1 - Math.hypot(left, down) / reach))];
      const box = { x: canvas.width - left - dot, y: down, width: dot, height: dot };
      if (color !== undefined) canvas.fill(box, color);
    }
}

/** Draws a page's texts, from the last line up. */
function drawText(canvas: Canvas, { title, description, label, operation }: PreviewText): void {
  const { fonts } = letterAtlas();
  const fit = (text: string, font: Font, most: number, width = TEXT_WIDTH) =>
    linesOf(drawable(text.slice(0, MAX_LETTERS), font), font, width, most);
  const titles = fit(title, fonts.display, MAX_LINES);
  const descriptions = fit(description, fonts.text, MAX_LINES - titles.length);
  let y = BOTTOM;
  for (const text of descriptions.toReversed()) {
    drawLine(canvas, { text, font: fonts.text, x: MARGIN, y, colors: SOFT });
    y -= LINE.text;
  }
  if (descriptions.length > 0) y -= 16;
  for (const text of titles.toReversed()) {
    drawLine(canvas, { text, font: fonts.display, x: MARGIN - 3, y, colors: INK });
    y -= LINE.display;
  }
  if (operation) drawOperation(canvas, operation, y, fit);
  else if (label !== undefined)
    for (const text of fit(label, fonts.text, 1))
      drawLine(canvas, { text, font: fonts.text, x: MARGIN, y: y - 4, colors: ACCENT });
}

/** A chip with the method, and beside it the path, in one or two lines of which the last is on the baseline `y`. */
function drawOperation(
  canvas: Canvas,
  { method, path }: { readonly method: string; readonly path: string },
  y: number,
  fit: (text: string, font: Font, most: number, width: number) => string[],
): void {
  const { fonts } = letterAtlas();
  const { width } = layOut(method, fonts.strong);
  const chip = { width: Math.round(width) + 36, height: 46 };
  const paths = fit(path, fonts.mono, 2, TEXT_WIDTH - chip.width - 22);
  const first = y - 8 - Math.max(0, paths.length - 1) * LINE.mono;
  canvas.fillRound({ x: MARGIN, y: first - 33, ...chip }, 12, CHIP);
  drawLine(canvas, {
    text: method,
    font: fonts.strong,
    x: MARGIN + 18,
    y: first - 1,
    colors: CHIP_INK,
  });
  for (const [at, text] of paths.entries()) {
    const baseline = first + at * LINE.mono;
    drawLine(canvas, {
      text,
      font: fonts.mono,
      x: MARGIN + chip.width + 22,
      y: baseline,
      colors: SOFT,
    });
  }
}

interface Line {
  readonly text: string;
  readonly font: Font;
  readonly x: number;
  /** The baseline. */
  readonly y: number;
  readonly colors: Ramp;
}

function drawLine(canvas: Canvas, { text, font, x, y, colors }: Line): void {
  const atlas = letterAtlas();
  const { places } = layOut(text, font);
  for (const [at, letter] of [...text].entries()) {
    const glyph = font.glyphs.get(letter);
    if (glyph) canvas.letter(atlas, glyph, Math.round(x + (places[at] ?? 0)), y, colors);
  }
}
