import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  consistencyRanges,
  isConsistent,
  leafHash,
  TreeEdge,
} from '../../server/src/transparency/merkle.ts';
import { consistencyProof, treeHash } from './support/naive-tree.ts';

/** The leaves and roots by which implementations of RFC 6962 are compared. */
const KNOWN = [
  ['', '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
  ['00', 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
  ['10', 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
  ['2021', 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
  ['3031', '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
  ['40414243', '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef'],
  ['5051525354555657', 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
  [
    '606162636465666768696a6b6c6d6e6f',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ],
] as const;

test('the edge of a tree has the roots of RFC 6962, leaf after leaf', () => {
  const edge = new TreeEdge(0, []);
  for (const [leaf, root] of KNOWN) {
    edge.append(leafHash(Buffer.from(leaf, 'hex')));
    assert.equal(edge.root().toString('hex'), root);
  }
  const leaves = Array.from({ length: 70 }, (_, at) => Buffer.of(at));
  const grown = new TreeEdge(0, []);
  assert.deepEqual(grown.root(), treeHash([]));
  for (const [at, leaf] of leaves.entries()) {
    grown.append(leafHash(leaf));
    assert.deepEqual(grown.root(), treeHash(leaves.slice(0, at + 1)));
    const stored = new TreeEdge(grown.size, grown.subtrees);
    assert.deepEqual(stored.root(), grown.root());
  }
  assert.throws(() => new TreeEdge(70, grown.subtrees.slice(1)), RangeError);
});

test('a proof of consistency is taken as RFC 6962 makes it, and with any change it is not', () => {
  const leaves = Array.from({ length: 40 }, (_, at) => Buffer.of(at));
  const head = (size: number) => ({ size, root: treeHash(leaves.slice(0, size)) });
  for (let second = 0; second <= leaves.length; second++) {
    for (let first = 0; first <= second; first++) {
      const tree = leaves.slice(0, second);
      const proof = first === 0 ? [] : consistencyProof(first, tree);
      assert.ok(isConsistent(head(first), head(second), proof), `${first} to ${second}`);
      assert.deepEqual(
        consistencyRanges(first, second).map(([from, to]) => treeHash(leaves.slice(from, to))),
        proof,
        `${first} to ${second}`,
      );
    }
  }
  const sizes = fc.tuple(fc.integer({ min: 1, max: 39 }), fc.integer({ min: 2, max: 40 }));
  fc.assert(
    fc.property(sizes, fc.nat(), fc.nat(), ([first, second], which, how) => {
      fc.pre(first < second);
      const proof = consistencyProof(first, leaves.slice(0, second));
      const at = which % (proof.length + 1);
      const changes = [
        () => proof.splice(at, 0, Buffer.alloc(32, how)),
        () => proof.splice(at, 1, ...(at < proof.length ? [] : [Buffer.alloc(32)])),
        () => proof.splice(at, 1, Buffer.alloc(32, how)),
      ];
      changes[how % changes.length]?.();
      assert.equal(isConsistent(head(first), head(second), proof), false);
    }),
  );
  const other = { size: 20, root: treeHash(leaves.slice(1, 21)) };
  const proof = consistencyProof(20, leaves);
  assert.equal(isConsistent(other, head(40), proof), false, 'another history');
  assert.equal(isConsistent(head(40), head(20), []), false, 'a smaller tree');
});
