import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { initialsOf, toneOf } from '../../web/src/ui/initials.ts';

test('initials are the first letters of the first and the last word, in any writing', () => {
  for (const [name, initials] of [
    ['Grace Hopper', 'GH'],
    ['edsger  W. dijkstra', 'ED'],
    ['Ada', 'A'],
    ['山田 太郎', '山太'],
    ['ßeta', 'ß'],
    ['e\u0301mile zola', 'E\u0301Z'],
    ['👩‍🚀 Sally', '👩‍🚀S'],
    ['jane.doe@example.com', 'JD'],
    ['', ''],
  ] as const) {
    assert.equal(initialsOf(name), initials, name);
  }
});

test('an address has one tone, whatever its case, and addresses of one company have many', () => {
  assert.equal(toneOf('Ann@Example.com', 8), toneOf('ann@example.com', 8));
  const tones = Array.from({ length: 800 }, (_, at) => toneOf(`person-${at}@example.com`, 8));
  const counts = new Map<number, number>();
  for (const tone of tones) counts.set(tone, (counts.get(tone) ?? 0) + 1);
  assert.equal(counts.size, 8);
  for (const count of counts.values()) assert.ok(count > 50, `${count} of 800`);
});

test('initials can be read on each of their colours, in both themes (WCAG AA: 4.5:1)', () => {
  const css = readFileSync(new URL('../../web/src/tokens.css', import.meta.url), 'utf8');
  const colors = new Map(
    [...css.matchAll(/--color-(avatar-\S+): light-dark\((#\w+), (#\w+)\)/g)].map(
      ([, name, light, dark]) => [name, [light, dark] as const],
    ),
  );
  assert.equal(colors.size, 16);
  for (let tone = 1; tone <= 8; tone += 1) {
    for (const theme of [0, 1] as const) {
      const behind = luminance(colors.get(`avatar-${tone}`)?.[theme] ?? '');
      const ink = luminance(colors.get(`avatar-${tone}-ink`)?.[theme] ?? '');
      const contrast = (Math.max(behind, ink) + 0.05) / (Math.min(behind, ink) + 0.05);
      assert.ok(contrast >= 4.5, `avatar ${tone}: ${contrast.toFixed(2)}`);
    }
  }
});

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
