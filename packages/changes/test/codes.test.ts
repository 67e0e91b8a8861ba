import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { RULES, type Verdict } from '../src/rules.ts';

/** The tables of docs/changes.md: `code`, and its verdict or those of both directions. */
function tables(): string {
  const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;
  const others: string[] = [];
  const ofSchemas: string[] = [];
  for (const [code, { verdict, says }] of RULES) {
    const [direction, fact = ''] = /^(request|response)-(.*)$/.exec(code)?.slice(1) ?? [];
    const other = RULES.get(`response-${fact}` as 'response-type-changed');
    if (
      direction === 'request' &&
      other &&
      RULES.has(`request-${fact}` as 'request-type-changed')
    ) {
      if (!MEDIA.test(fact)) {
        ofSchemas.push(row(`\`${fact}\``, verdict, other.verdict, plain(says)));
        continue;
      }
    } else if (direction === 'response' && RULES.has(`request-${fact}` as 'request-type-changed')) {
      if (!MEDIA.test(fact)) continue;
    }
    others.push(row(`\`${code}\``, verdict, plain(says)));
  }
  return [
    row('code', 'verdict', 'what is said'),
    row('---', '---', '---'),
    ...others,
    '',
    row(
      'code, after `request-` or `response-`',
      'in requests',
      'in responses',
      'what is said of requests',
    ),
    row('---', '---', '---', '---'),
    ...ofSchemas,
  ].join('\n');
}

/** What bodies have in both directions, and no schema. */
const MEDIA = /^(?:media-type|encoding)-/;

const plain = (says: string): string => says.replace(/\{(?:old|new|name)\}/g, '…');

test('docs/changes.md lists every code with its verdict', async () => {
  const text = await readFile(new URL('../../../docs/changes.md', import.meta.url), 'utf8');
  const wanted = tables();
  assert.ok(text.includes(wanted), `docs/changes.md must have these tables:\n\n${wanted}\n`);
});

test('codes are words in small letters, and sentences name what they have', () => {
  const verdicts: ReadonlySet<Verdict> = new Set([
    'breaking',
    'risky',
    'compatible',
    'documentation',
  ]);
  for (const [code, { verdict, says }] of RULES) {
    assert.match(code, /^[a-z]+(?:-[a-z]+)*$/);
    assert.ok(verdicts.has(verdict), code);
    assert.match(says, /^[a-z][^.]*$/, code);
  }
});
