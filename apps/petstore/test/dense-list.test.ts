import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DenseList } from '@petstore/service/dense-list.ts';
import fc from 'fast-check';

test('a list holds what was added and not removed, however they come and go', () => {
  const steps = fc.array(fc.option(fc.nat(), { nil: 'add' as const }), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (steps) => {
      const list = new DenseList<number>();
      const expected = new Map<number, () => void>();
      const removed: (() => void)[] = [];
      for (const [at, step] of steps.entries()) {
        const values = [...expected.keys()];
        const value = step === 'add' ? undefined : values[step % values.length];
        if (value === undefined) {
          expected.set(at, list.add(at));
        } else {
          const remove = expected.get(value) as () => void;
          remove();
          removed.push(remove);
          expected.delete(value);
        }
        // The second time it takes nothing off, not even what stands in the same place by now.
        for (const remove of removed) remove();
        assert.deepEqual(new Set(list.values()), new Set(expected.keys()));
        assert.equal(list.size, expected.size);
      }
      list.retain((value) => value % 2 === 0);
      assert.deepEqual(
        new Set(list.values()),
        new Set([...expected.keys()].filter((value) => value % 2 === 0)),
      );
    }),
  );
});
