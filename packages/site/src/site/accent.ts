import { hex, mix, type Rgb } from './rgb.ts';

/** WCAG 2.2, 1.4.3: the contrast of text with its background. */
const CONTRAST = 4.5;

/** The backgrounds of accents: the least favourable one of each scheme, with a tenth of the accent mixed in. */
const LIGHT_GROUND: Rgb = [246, 247, 249];
const DARK_GROUND: Rgb = [23, 26, 33];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/**
 * A theme's colour (`#0a58ca` or `#05c`), adapted for links and marks: the same hue, made darker on light pages and
 * lighter on dark ones until it is legible.
 */
export function accentColors(color: string): { readonly light: string; readonly dark: string } {
  const rgb = parseColor(color);
  return { light: readable(rgb, LIGHT_GROUND, BLACK), dark: readable(rgb, DARK_GROUND, WHITE) };
}

function readable(color: Rgb, ground: Rgb, towards: Rgb): string {
  for (let share = 0; share < 1; share += 0.02) {
    const mixed = mix(color, towards, share);
    if (contrast(mixed, mix(ground, mixed, 0.1)) >= CONTRAST) return hex(mixed);
  }
  return hex(towards);
}

/** The contrast ratio of two colours, 1 to 21 (WCAG 2.2, “contrast ratio”). */
export function contrast(a: Rgb, b: Rgb): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (channel: number) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

export function parseColor(color: string): Rgb {
  const digits = color.slice(1);
  const full = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  const value = Number.parseInt(full, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
