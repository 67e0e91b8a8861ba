import { readFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { Changelog } from '@petstore/site/changelog/changelog.ts';
import type { BuildService } from '../build-service.ts';
import { buildSite } from '../build-site.ts';
import type { BuildJob, BuildMessage, ComparisonJob, ToBuildProcess } from './messages.ts';
import { PackingThread } from './packing-thread.ts';

// A thread that builds sites and compares documents, one after the other, until it is terminated, possibly in the middle of one.

const port = parentPort;
if (!port) throw new Error('build-worker.ts runs as a worker');
const packing = new PackingThread();
const post = (message: BuildMessage) => port.postMessage(message);

let answerKey: (isKnown: boolean) => void = () => {};
let answerDocuments: (changelog: Changelog) => void = () => {};

/** Asks over messages, one thing at a time. */
const service: BuildService = {
  isKnown(key) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    answerKey = resolve;
    post({ key });
    return promise;
  },
  changelogFor(documents) {
    const { promise, resolve } = Promise.withResolvers<Changelog>();
    answerDocuments = resolve;
    post({ documents });
    return promise;
  },
};

port.on('message', (message: ToBuildProcess) => {
  if ('isKnown' in message) answerKey(message.isKnown);
  else if ('changelog' in message) answerDocuments(message.changelog);
  else if ('published' in message) void compare(message);
  else void build(message);
});

async function build({ source, pack, compressions, ...job }: BuildJob): Promise<void> {
  packing.begin(pack, compressions);
  const input = { ...job, bytes: await readFile(source) };
  const result = await buildSite(input, packing.pack, (line) => post({ line }), service);
  const index = await packing.end();
  // Written now, since the process is ended without warning: the next one then loads in a third of the time.
  flushCompileCache();
  if (!('artifact' in result)) return post(result);
  const { hash, manifest } = result.artifact;
  post({ hash, manifest, packed: index });
}

async function compare(job: ComparisonJob): Promise<void> {
  // Loaded here: the first deploys of projects need none of it.
  const { compareDeploy } = await import('../../changes/compare-deploy.ts');
  const comparison = await compareDeploy(job);
  flushCompileCache();
  post({ comparison });
}
