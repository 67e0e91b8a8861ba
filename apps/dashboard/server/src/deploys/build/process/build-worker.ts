import { readFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { shareCompressionCache } from '../artifact/compress.ts';
import { packBlobs } from '../artifact/pack.ts';
import { buildSite } from '../build-site.ts';
import type { BuildJob, BuildMessage } from './messages.ts';

// A thread that builds sites, one after the other, until it is terminated, possibly in the middle of a build.

const port = parentPort;
if (!port) throw new Error('build-worker.ts runs as a worker');
const post = (message: BuildMessage) => port.postMessage(message);

port.on('message', async ({ kind, name, source, pack, compressions }: BuildJob) => {
  shareCompressionCache(compressions);
  const input = { kind, name, bytes: await readFile(source) };
  const result = await buildSite(input, (line) => post({ line }));
  // Written now, since the process is ended without warning: the next one then loads in a third of the time.
  flushCompileCache();
  if ('problems' in result) return post(result);
  const { hash, manifest, blobs } = result.artifact;
  post({ hash, manifest, packed: await packBlobs(pack, blobs) });
});
