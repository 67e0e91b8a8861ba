import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

// In a thread, a zlib stream is made slowly: there is half a second between its beginning and its end.

if (!isMainThread) {
  const { Zlib } = process.binding('zlib');
  const { init } = Zlib.prototype;
  Zlib.prototype.init = function (...args) {
    writeFileSync(process.env.ZLIB_BEGUN, '');
    const until = performance.now() + 500;
    while (performance.now() < until);
    return init.apply(this, args);
  };
}
