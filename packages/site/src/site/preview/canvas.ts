import type { Atlas, Glyph } from './atlas.ts';
import { rowBytes } from './png.ts';

/** For each of the 16 levels of a letter the colour that a pixel gets; 0 leaves it as it is. */
export type Ramp = Uint8Array;

/** A ramp from the ground through `count` colours of the palette, which begin at `first`. */
export function ramp(first: number, count: number): Ramp {
  return Uint8Array.from({ length: 16 }, (_, level) => {
    const step = Math.round((level * count) / 15);
    return step === 0 ? 0 : first + step - 1;
  });
}

/** A box on a canvas, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An image of 16 colours while it is drawn. `rows` are as a PNG has them. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly rows: Uint8Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.rows = new Uint8Array(rowBytes(width) * height);
  }

  set(x: number, y: number, color: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const at = y * rowBytes(this.width) + 1 + (x >> 1);
    const pair = this.rows[at] ?? 0;
    this.rows[at] = x & 1 ? (pair & 0xf0) | color : (pair & 0x0f) | (color << 4);
  }

  fill({ x, y, width, height }: Box, color: number): void {
    for (let row = y; row < y + height; row += 1)
      for (let column = x; column < x + width; column += 1) this.set(column, row, color);
  }

  /** Fills a box with round corners; `colors` from the edge's to the inner one. */
  fillRound(box: Box, radius: number, colors: Ramp): void {
    const { x, y, width, height } = box;
    this.fill(box, colors[15] ?? 0);
    for (let row = 0; row < radius; row += 1)
      for (let column = 0; column < radius; column += 1) {
        const distance = Math.hypot(radius - column - 0.5, radius - row - 0.5);
        const covered = Math.max(0, Math.min(1, radius - distance + 0.5));
        const color = colors[Math.round(covered * 15)] ?? 0;
        const [right, bottom] = [x + width - 1 - column, y + height - 1 - row];
        this.set(x + column, y + row, color);
        this.set(right, y + row, color);
        this.set(x + column, bottom, color);
        this.set(right, bottom, color);
      }
  }

  /** Draws a letter whose origin is at `x` on the baseline `y`. */
  letter({ levels, width: atlasWidth }: Atlas, glyph: Glyph, x: number, y: number, colors: Ramp) {
    const { width, height } = glyph;
    const [left, top] = [x + glyph.left, y + glyph.top];
    for (let row = 0; row < height; row += 1) {
      const start = (glyph.y + row) * atlasWidth + glyph.x;
      for (let column = 0; column < width; column += 1) {
        const color = colors[levels[start + column] as number] as number;
        if (color !== 0) this.set(left + column, top + row, color);
      }
    }
  }
}
