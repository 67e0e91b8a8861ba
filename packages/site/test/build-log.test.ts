import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '@petstore/test-support/root.ts';
import { type BuildLine, boundedLog } from '../src/build-log.ts';
import { RULES } from '../src/rules.ts';

const PLACE = { file: 'openapi.yaml', path: '/paths', line: 3 };

test('of findings of a rule the first fifty are logged, each once, and the others are counted', () => {
  const lines: BuildLine[] = [];
  const { log, end } = boundedLog((line) => lines.push(line));
  for (let at = 0; at < 70; at += 1)
    for (const rule of ['left-out', 'left-out', 'link'] as const) {
      if (rule === 'link' && at > 2) continue;
      log({ rule, message: `Number ${at}.`, ...PLACE });
    }
  log({ message: 'Made 3 files' });
  log({ message: 'Made 3 files' });
  end();
  const of = (rule: string) =>
    lines.flatMap((line) => ('rule' in line && line.rule === rule ? [line] : []));
  assert.equal(of('left-out').length, 51);
  assert.deepEqual(of('left-out')[0], {
    ...{ rule: 'left-out', message: 'Number 0.' },
    ...PLACE,
  });
  assert.equal(of('left-out')[50]?.message, 'And 20 others of this rule.');
  assert.equal(of('link').length, 3);
  assert.equal(lines.filter((line) => !('rule' in line)).length, 2);
});

test('lines and hints are looked up for what is logged alone', () => {
  const asked: string[] = [];
  const lines: BuildLine[] = [];
  const { log } = boundedLog((line) => lines.push(line));
  for (let at = 0; at < 60; at += 1)
    log({
      ...{
        rule: 'structure',
        message: `Number ${at}.`,
        file: 'a.json',
        path: '/a',
      },
      get line() {
        asked.push(`line ${at}`);
        return at;
      },
      get hint() {
        asked.push(`hint ${at}`);
        return 'Did you mean `b`?';
      },
    });
  assert.equal(asked.length, 100);
  assert.deepEqual(lines[1], {
    ...{ rule: 'structure', message: 'Number 1. Did you mean `b`?' },
    ...{ file: 'a.json', path: '/a', line: 1 },
  });
});

test('the docs say what each rule means, and name no other', () => {
  const docs = readFileSync(join(ROOT, 'docs/dashboard.md'), 'utf8');
  const [, table = ''] = /\| rule \| means \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(docs) ?? [];
  const told = [...table.matchAll(/^\| `([\w-]+)` \| (hint: )?/gm)].map(([, rule, hint]) => [
    rule,
    hint ? 'hint' : 'warning',
  ]);
  assert.deepEqual(told, Object.entries(RULES));
});
