// The functions of this file run in a page of a browser, each by itself: none can call another.

/** A letter as the browser draws it: its box around the origin, and how dark each pixel is, 0 to 15. */
export interface Drawn {
  readonly letter: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly advance: number;
  readonly levels: readonly number[];
}

/** Draws letters in a font (`650 56px "Inter"`) of `size` pixels. Those that it lacks are left out. */
export async function drawLetters({
  font,
  size,
  letters,
  levels,
}: {
  font: string;
  size: number;
  letters: string[];
  levels: number;
}): Promise<Drawn[]> {
  await document.fonts.load(font, letters.join(''));
  const side = size * 3;
  const canvas = new OffscreenCanvas(side, side);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('There is no canvas.');
  const origin = size;
  const draw = (letter: string, fallback: string) => {
    context.clearRect(0, 0, side, side);
    context.font = `${font}, ${fallback}`;
    context.textRendering = 'geometricPrecision';
    context.fillStyle = '#fff';
    context.fillText(letter, origin, 2 * size);
    return context.getImageData(0, 0, side, side).data;
  };
  return letters.flatMap((letter) => {
    const data = draw(letter, 'serif');
    // A letter that the font lacks is drawn by the next one, and differs.
    const other = draw(letter, 'monospace');
    if (data.some((value, at) => value !== other[at])) return [];
    const levelAt = (x: number, y: number) =>
      Math.round(((data[4 * (y * side + x) + 3] ?? 0) / 255) * levels);
    let [left, top, right, bottom] = [side, side, -1, -1];
    for (let y = 0; y < side; y += 1)
      for (let x = 0; x < side; x += 1) {
        if (levelAt(x, y) === 0) continue;
        [left, top] = [Math.min(left, x), Math.min(top, y)];
        [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
      }
    if (right < 0) return [];
    const [width, height] = [right - left + 1, bottom - top + 1];
    const pixels = Array.from({ length: width * height }, (_, at) =>
      levelAt(left + (at % width), top + Math.floor(at / width)),
    );
    const advance = Math.round(context.measureText(letter).width * 100) / 100;
    return [
      { letter, left: left - origin, top: top - 2 * size, width, height, advance, levels: pixels },
    ];
  });
}

/**
 * For each letter those that stand nearer or further after it than their widths say, by how much: in pixels of a font
 * of 100, so in hundredths of its size. Less than one is left out.
 */
export async function kerningOf({
  font,
  letters,
}: {
  font: string;
  letters: string[];
}): Promise<Record<string, Record<string, string>>> {
  await document.fonts.load(font, letters.join(''));
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  if (!context) throw new Error('There is no canvas.');
  context.font = font;
  context.textRendering = 'geometricPrecision';
  const width = (text: string) => context.measureText(text).width;
  const alone = new Map(letters.map((letter) => [letter, width(letter)]));
  const all: Record<string, Record<string, string>> = {};
  for (const one of letters) {
    const own: Record<string, string> = {};
    for (const next of letters) {
      const sum = (alone.get(one) ?? 0) + (alone.get(next) ?? 0);
      const further = Math.round((width(one + next) - sum) * 2) / 2;
      if (Math.abs(further) >= 1) own[further] = (own[further] ?? '') + next;
    }
    if (Object.keys(own).length > 0) all[one] = own;
  }
  return all;
}
