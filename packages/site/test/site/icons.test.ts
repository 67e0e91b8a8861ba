import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ICON_NAMES, iconRules, isIcon } from '../../src/site/icons/icons.ts';

test('an icon is a name of the set or one emoji', () => {
  for (const icon of ['rocket', 'git-branch', '🚀', '👩‍💻', '🇪🇺', '❤️'])
    assert.ok(isIcon(icon), icon);
  for (const icon of ['', 'rokcet', 'toString', '🚀🚀', '🚀 ', 'A', '1', '<b>'])
    assert.ok(!isIcon(icon), icon);
});

test('a style has each outline once, and nothing that could end it early', () => {
  const [rule = '', ...others] = iconRules(['rocket', '🚀', 'rocket', 'toString']);
  assert.deepEqual(others, []);
  assert.match(
    rule,
    /^\[data-icon="rocket"\]\{--icon:url\("data:image\/svg\+xml,[^"<>\s]+"\)\}\n$/,
  );
  assert.equal(iconRules(ICON_NAMES).length, ICON_NAMES.length);
});

test('the documentation names each icon', async () => {
  const docs = await readFile(new URL('../../../../docs/guides.md', import.meta.url), 'utf8');
  const list = /^`activity`[\s\S]*?\.$/m.exec(docs)?.[0] ?? '';
  const named = [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  assert.deepEqual(named, ICON_NAMES);
});
