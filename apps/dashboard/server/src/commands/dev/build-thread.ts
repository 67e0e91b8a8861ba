import { parentPort } from 'node:worker_threads';
import { PageCache } from '@petstore/site/guides/render/page-cache.ts';
import { openPack } from '../../deploys/build/artifact/pack.ts';
import { buildSite } from '../../deploys/build/build-site.ts';
import type { DevJob, FromDevThread } from './dev-builder.ts';
import { devPacker } from './dev-packer.ts';

// The thread that builds the site of `dashboard dev`, again and again: what it has loaded and rendered stays.

const port = parentPort;
if (!port) throw new Error('build-thread.ts runs as a worker');
const post = (message: FromDevThread) => port.postMessage(message);
const pages = new PageCache();

port.on('message', async ({ input, pack: path, build }: DevJob) => {
  const pack = openPack(path);
  const packFiles = devPacker(build, pack.keep);
  const result = await buildSite(input, packFiles, (line) => post({ line }), undefined, pages);
  const packed = pack.close();
  if ('problems' in result) return post(result);
  const { hash, manifest } = result.artifact;
  post({ hash, manifest, packed });
});
