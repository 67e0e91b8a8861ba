import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ICON_ALIASES } from '../../src/site/icons/icon-aliases.ts';
import { ICON_NAMES, iconNamed, iconRules } from '../../src/site/icons/icons.ts';

test('an icon is a name of the set or one emoji', () => {
  for (const icon of ['rocket', 'git-branch', '🚀', '👩‍💻', '🇪🇺', '❤️'])
    assert.equal(iconNamed(icon), icon);
  for (const icon of ['', 'rokcet', 'toString', '🚀🚀', '🚀 ', 'A', '1', '<b>'])
    assert.equal(iconNamed(icon), undefined, icon);
});

test('usual names of other sets are icons of this one', () => {
  assert.equal(iconNamed('gear'), 'settings');
  for (const [alias, name] of Object.entries(ICON_ALIASES)) {
    assert.equal(iconNamed(name), name, alias);
    assert.ok(!ICON_NAMES.includes(alias), alias);
  }
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
