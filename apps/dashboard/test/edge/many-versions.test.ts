import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Manifest } from '../../server/src/deploys/artifact.ts';
import { startTestEdge } from './support/edge.ts';
import { MemorySource } from './support/memory-source.ts';

const VERSIONS = 50;
const PAGES = 4_000;

/** A site with as many versions as it may have, each with many pages. */
function manyVersions(): MemorySource {
  const source = new MemorySource();
  const page = { '/': { type: 'text/html; charset=utf-8', text: '<!doctype html><p>Text' } };
  const first = source.deploy('a.test', page);
  const { files, ...rest } = source.manifests.get(first) as Manifest;
  const entry = files['/'];
  assert.ok(entry);
  const all = Array.from({ length: VERSIONS }, (_, version) => {
    const paths = Array.from({ length: PAGES }, (_, at) => `/guides/part-of-${version}/page-${at}`);
    const artifactHash = `${first}-${version}`;
    const own = Object.fromEntries(['/', '/same', ...paths].map((path) => [path, entry]));
    source.manifests.set(artifactHash, { ...rest, files: own });
    return { name: `v${version}`, artifactHash };
  });
  const site = source.sites.get('a.test');
  assert.ok(site);
  source.sites.set('a.test', { ...site, versions: { defaultVersion: 'v0', all } });
  return source;
}

test('the manifests of all versions are read for the first page alone', async (t) => {
  const source = manyVersions();
  const { ask } = await startTestEdge(t, { source });
  const first = await ask('/v3/guides/part-of-3/page-0');
  assert.equal(first.status, 200);
  source.forgetAsked();
  for (const at of [1, 2, 3]) {
    const { status, headers } = await ask(`/v3/guides/part-of-3/page-${at}`);
    assert.equal(status, 200);
    assert.equal(headers.link, `<https://a.test/v3/guides/part-of-3/page-${at}>; rel="canonical"`);
  }
  const { headers } = await ask('/v3/same');
  assert.equal(headers.link, '<https://a.test/v0/same>; rel="canonical"');
  // That of the version itself may have had to make room.
  assert.ok(source.asked.readManifest <= 1, `${source.asked.readManifest} reads`);
});
