import { type Html, html } from '@petstore/http/html.ts';
import { prefix } from '@petstore/service/text.ts';
import { readMarks } from '../openapi/extension-fields.ts';
import { isObject, type Schema, textOf } from '../openapi/openapi-types.ts';
import { longDay } from '../syntax/days.ts';
import { isMarked, type Shape, shapeMarks } from './shape.ts';

const MAX_BADGES = 10;
const MAX_LETTERS = 40;

/** Words after the name of a property or a parameter: `deprecated`, `read-only`. */
export function flags(shape: Shape, holder: Schema = {}): Html {
  const { stability, sunset } = readMarks({ ...shapeMarks(shape), ...holder });
  const isOld = isMarked(shape, 'deprecated') || holder.deprecated === true;
  const words = [
    ...(isOld ? [sunset ? `deprecated, removed on ${longDay(sunset)}` : 'deprecated'] : []),
    ...(stability ? [stability] : []),
    ...(isMarked(shape, 'readOnly') ? ['read-only'] : []),
    ...(isMarked(shape, 'writeOnly') ? ['write-only'] : []),
  ];
  return html`${words.map((word) => html` <span class="ref-flag">${word}</span>`)}`;
}

/**
 * The badges of an operation, a tag or a model: deprecated, its stability, those of its tags (`marks`), and its author's
 * own (`x-badges`).
 */
export function badges(holder: Schema, marks: readonly string[] = []): Html {
  const { stability, sunset } = readMarks(holder);
  const own = (Array.isArray(holder['x-badges']) ? holder['x-badges'] : []).filter(isObject);
  const badge = (kind: string, text: string) =>
    html` <span class="ref-badge ref-${kind}">${text}</span>`;
  const all = [
    ...(holder.deprecated === true ? [badge('deprecated', 'Deprecated')] : []),
    ...(sunset ? [badge('sunset', `Removed on ${longDay(sunset)}`)] : []),
    ...(stability
      ? [badge('stability', `${stability[0]?.toUpperCase()}${stability.slice(1)}`)]
      : []),
    ...marks.slice(0, MAX_BADGES).map((mark) => badge('plain', prefix(mark, MAX_LETTERS))),
    ...own.slice(0, MAX_BADGES).map((one) => {
      const text = prefix(textOf(one.name) || textOf(one.label), MAX_LETTERS);
      return badge(colorOf(textOf(one.color)), text);
    }),
  ].filter(({ text }) => !text.includes('></span>'));
  return all.length === 0 ? html`` : html`<p class="ref-badges">${all}</p>`;
}

/** The colours of badges that are legible on both grounds; what an author wrote becomes the nearest of them. */
const HUES = [
  ['red', 0],
  ['orange', 35],
  ['green', 130],
  ['blue', 215],
  ['purple', 275],
  ['red', 360],
] as const;

const NAMED = /^(?:red|orange|green|blue|purple)$/;

function colorOf(color: string): string {
  const name = color.toLowerCase();
  if (NAMED.test(name)) return name;
  const [, digits] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/.exec(name) ?? [];
  if (digits === undefined) return 'plain';
  const full = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) =>
    Number.parseInt(full.slice(at, at + 2), 16),
  );
  const [low, high] = [Math.min(red, green, blue), Math.max(red, green, blue)];
  // Grey has no hue.
  if (high - low < 30) return 'plain';
  const hue =
    high === red
      ? (60 * (green - blue)) / (high - low)
      : high === green
        ? 120 + (60 * (blue - red)) / (high - low)
        : 240 + (60 * (red - green)) / (high - low);
  const angle = (hue + 360) % 360;
  const distance = (of: number) => Math.abs(of - angle);
  const [nearest] = HUES.reduce((best, one) => (distance(one[1]) < distance(best[1]) ? one : best));
  return nearest;
}
