import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { shareCompressionCache } from '../artifact/compress.ts';
import { type OpenPack, openPack } from '../artifact/pack.ts';
import { filePacker } from '../artifact/pack-files.ts';
import type { FromPackingThread, ToPackingThread } from './packing-thread.ts';

// A thread that packs the files of sites, one site after the other. It answers each message in its turn.

const port = parentPort;
if (!port) throw new Error('packing-worker.ts runs as a worker');
const answer = (message: FromPackingThread) => port.postMessage(message);

let pack: OpenPack | undefined;
let packFiles: ReturnType<typeof filePacker> = () => [];

port.on('message', (message: ToPackingThread) => {
  if ('files' in message) answer({ entries: packFiles(message.files) });
  else if ('compressions' in message) {
    shareCompressionCache(message.compressions);
    pack = openPack(message.path);
    packFiles = filePacker(pack.keep);
  } else {
    answer({ index: pack?.close() ?? [] });
    // Written now, since the process is ended without warning.
    flushCompileCache();
  }
});
