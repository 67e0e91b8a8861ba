import { parentPort } from 'node:worker_threads';
import { scalarScript } from '@petstore/reference/scalar-script.ts';

// The thread that extracts Scalar's program from its package and sends its bytes. That takes a fifth of a second,
// during which the thread that serves requests would stand still.

const script = new TextEncoder().encode(await scalarScript());
parentPort?.postMessage(script, [script.buffer]);
