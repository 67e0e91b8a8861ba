import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertWithin, cpuTimeOf } from '@petstore/test-support/within.ts';
import { canonicalHost } from '../../server/src/edge/host.ts';
import { DEFAULT_LIMITS, SiteCache } from '../../server/src/edge/sites/site-cache.ts';
import { MemorySource } from './support/memory-source.ts';

const LOOK_UPS = 20_000;
const ROUNDS = 7;

/** A request takes 10 µs and more. The memory of a larger table is further away from the processor. */
const MAX_DIFFERENCE_US = 3;

function cacheOf(count: number) {
  const source = new MemorySource();
  const hosts = Array.from({ length: count }, (_, at) => {
    const host = canonicalHost(`site${at}.docs.localhost`);
    assert.ok(host);
    const projectId = `project ${at}`;
    source.sites.set(host, {
      ...{ projectId, artifactHash: 'x', origin: host },
      ...{ isPreview: false, mcp: true, requestProxy: false },
    });
    return host;
  });
  return { cache: new SiteCache(source, DEFAULT_LIMITS), hosts };
}

test('to look up a host costs the same among 100,000 as among 10', async (t) => {
  const few = cacheOf(10);
  const many = cacheOf(100_000);
  const measure = ({ cache, hosts }: typeof few): number => {
    const wanted = Array.from({ length: LOOK_UPS }, (_, at) => hosts[(at * 7_919) % hosts.length]);
    const took = cpuTimeOf(() => {
      for (const host of wanted) {
        assert.ok(host);
        assert.ok(!(cache.findSite(host) instanceof Promise), 'memory has it');
      }
    });
    return (took * 1_000) / LOOK_UPS;
  };
  for (const { cache, hosts } of [few, many]) for (const host of hosts) await cache.findSite(host);
  await assertWithin(MAX_DIFFERENCE_US / 1_000, () => {
    const differences = Array.from({ length: ROUNDS }, () => measure(many) - measure(few));
    const difference = differences.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
    t.diagnostic(`${difference.toFixed(3)} µs more`);
    return difference / 1_000;
  });
});

test('a change among 100,000 hosts holds up no request for long', async () => {
  const { cache, hosts } = cacheOf(100_000);
  for (const host of hosts) await cache.findSite(host);
  const took = cpuTimeOf(() => cache.invalidate(new Set(['project 5', 'project 99999'])));
  assert.ok(took < 10, `${took} ms`);
  const [first, changed] = [hosts[0], hosts[5]];
  assert.ok(first && changed);
  assert.ok(!(cache.findSite(first) instanceof Promise), 'others are still known');
  assert.ok(cache.findSite(changed) instanceof Promise);
});
