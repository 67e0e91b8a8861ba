/** A colour of sRGB, each part from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Two colours mixed; `share` of the second one, from 0 to 1. */
export function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2) => Math.round(one[at] + (other[at] - one[at]) * share);
  return [part(0), part(1), part(2)];
}

/** `#rrggbb` */
export const hex = (color: Rgb): string =>
  `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
