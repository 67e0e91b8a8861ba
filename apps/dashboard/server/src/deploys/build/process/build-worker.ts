import { readFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { buildSite } from '../build-site.ts';
import type { BuildJob, BuildMessage } from './messages.ts';
import { PackingThread } from './packing-thread.ts';

// A thread that builds sites, one after the other, until it is terminated, possibly in the middle of a build.

const port = parentPort;
if (!port) throw new Error('build-worker.ts runs as a worker');
const packing = new PackingThread();
const post = (message: BuildMessage) => port.postMessage(message);

port.on('message', async ({ source, pack, compressions, ...job }: BuildJob) => {
  packing.begin(pack, compressions);
  const input = { ...job, bytes: await readFile(source) };
  const result = await buildSite(input, packing.pack, (line) => post({ line }));
  const index = await packing.end();
  // Written now, since the process is ended without warning: the next one then loads in a third of the time.
  flushCompileCache();
  if ('problems' in result) return post(result);
  const { hash, manifest } = result.artifact;
  post({ hash, manifest, packed: index });
});
