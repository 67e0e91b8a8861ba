import type { Rgb } from '../../src/site/rgb.ts';

/** A colour as the browser draws it, however CSS writes it. */
export function rgbOf(color: string): Rgb {
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext('2d');
  if (!context) return [128, 128, 128];
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

export const brightness = ([red, green, blue]: Rgb) => 0.3 * red + 0.59 * green + 0.11 * blue;

/** In degrees, and from 0 to 1. */
export function hueOf([red, green, blue]: Rgb): [hue: number, saturation: number] {
  const most = Math.max(red, green, blue);
  const span = most - Math.min(red, green, blue);
  if (span === 0) return [215, 0];
  const sixth =
    most === red
      ? (green - blue) / span + 6
      : most === green
        ? (blue - red) / span + 2
        : (red - green) / span + 4;
  return [(sixth * 60) % 360, span / most];
}

/** A colour of full brightness (HSV). */
export function fromHue(hue: number, saturation: number): Rgb {
  const part = (shift: number) => {
    const at = (shift + hue / 60) % 6;
    return Math.round(255 * (1 - saturation * Math.max(0, Math.min(at, 4 - at, 1))));
  };
  return [part(5), part(3), part(1)];
}
