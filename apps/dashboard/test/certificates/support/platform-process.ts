// A process that obtains the certificate of the API's name until it is killed. Its argument: ProcessOptions as JSON.
import { flushCompileCache } from 'node:module';
import { sealerOf } from '../../../server/src/certificates/sealing.ts';
import { openDatabase } from '../../../server/src/store/open-database.ts';
import type { ProcessOptions } from './issuer-process.ts';
import { startPlatform } from './platform.ts';

const { databaseUrl, key, acme } = JSON.parse(process.argv[2] ?? '') as ProcessOptions;
const { db } = await openDatabase(databaseUrl, 2);
flushCompileCache();
process.send?.('ready');
process.once('message', () => {
  startPlatform({ db, acme, sealer: sealerOf(Buffer.from(key, 'base64'), 'a test') });
});
