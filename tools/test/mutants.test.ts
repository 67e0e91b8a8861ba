import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { mutated } from '../src/mutant.ts';
import { compilable, mutantsOf } from '../src/mutants.ts';

const sources = (source: string) => mutantsOf(source).map((mutant) => mutated(source, mutant));

test('each condition, bound, constant, text and step of a rule has a mutant', () => {
  const mutants: Record<string, string[]> = {
    'x = a < 10;': [';', 'x = a <= 10;', 'x = a < 11;'],
    'if (!a) go();': [
      'if ((true as boolean)) go();',
      'if ((false as boolean)) go();',
      'if (a) go();',
      'if (!a) ;',
    ],
    'const x = a && b;': ['const x = b;', 'const x = a;', 'const x = a || b;'],
    'const x = a?.b ?? true;': [
      'const x = true;',
      'const x = a.b ?? true;',
      'const x = a?.b;',
      'const x = a?.b ?? false;',
    ],
    "const x = { code: 'no', description: 'nothing' };": [
      'const x = {};',
      "const x = { code: '', description: 'nothing' };",
    ],
    'const x = list.filter((a) => a.some(f));': [
      'const x = list;',
      'const x = list.filter((a) => undefined);',
      'const x = list.filter((a) => a.every(f));',
    ],
    'const x = /^\\^a$/i;': ['const x = /\\^a$/i;', 'const x = /^\\^a/i;', 'const x = /^\\^a$/;'],
    'for (const a of b) { if (a) throw `a`; }': [
      'for (const a of b) { if ((true as boolean)) throw `a`; }',
      'for (const a of b) { if ((false as boolean)) throw `a`; }',
      'for (const a of b) { if (a) ; }',
      'for (const a of b) { if (a) throw ``; }',
    ],
    "import { a } from 'b'; type C = 'd';": [],
  };
  for (const [source, expected] of Object.entries(mutants)) {
    assert.deepEqual(sources(source).sort(), expected.sort());
  }
});

test('mutants that the compiler refuses are left out', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'rule.ts');
  const configFile = join(folder, 'tsconfig.json');
  const source = "export const code: 'no' | 'yes' = 'no';\nexport const most: number = 3;\n";
  writeFileSync(path, source);
  writeFileSync(configFile, '{ "compilerOptions": { "strict": true, "types": [] } }');
  const files = [{ path, source, mutants: mutantsOf(source) }];
  assert.equal(files[0]?.mutants.length, 2);
  const [file] = compilable(files, configFile);
  assert.deepEqual(
    file?.mutants.map((mutant) => mutated(source, mutant)),
    [source.replace('3', '4')],
  );
});
