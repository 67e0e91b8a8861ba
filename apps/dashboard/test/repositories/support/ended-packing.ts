import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { packCheckout } from '../../../server/src/repositories/packing/pack-checkout.ts';

// A process that calls off the packing of a folder while its thread makes a zlib stream, and says that it goes on.

const [root = '', to = ''] = process.argv.slice(2);
const limits = { bytes: 1_000_000, unpackedBytes: 1_000_000, files: 10 };
const calledOff = new AbortController();
const packing = packCheckout({ root, folder: '', limits, to }, calledOff.signal);
while (!existsSync(process.env.ZLIB_BEGUN ?? '')) await sleep(5);
calledOff.abort(new Error('called off'));
const message = await packing.then(
  () => 'packed',
  (error: Error) => error.message,
);
process.send?.(message);
process.disconnect?.();
