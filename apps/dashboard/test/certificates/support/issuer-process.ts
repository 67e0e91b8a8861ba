// A process that issues certificates until it is killed. Its one argument: ProcessOptions as JSON.
import { flushCompileCache } from 'node:module';
import { pino } from 'pino';
import { startIssuer } from '../../../server/src/certificates/issuer.ts';
import { sealerOf } from '../../../server/src/certificates/sealing.ts';
import type { AcmeConfig } from '../../../server/src/config-acme.ts';
import { openDatabase } from '../../../server/src/store/open-database.ts';
import { challengeZone } from '../../../server/src/zone/challenge-zone.ts';

export interface ProcessOptions {
  readonly databaseUrl: string;
  /** In base64. */
  readonly key: string;
  readonly acme: AcmeConfig;
  /** Where DNS-01 is shown, and who finds names. */
  readonly zone?: Parameters<typeof challengeZone>[0];
}

const { databaseUrl, key, acme, zone } = JSON.parse(process.argv[2] ?? '') as ProcessOptions;
const { db } = await openDatabase(databaseUrl, 2);
// Node would write what it compiled at the end, which a killed process does not have: the next ones read it.
flushCompileCache();
// Prepared before it is told to begin: a test kills it in the middle of its work, not of its start.
process.send?.('ready');
process.once('message', () => {
  startIssuer({
    db,
    now: Date.now,
    log: pino({ level: 'silent' }),
    sealer: sealerOf(Buffer.from(key, 'base64'), 'a test'),
    siteChanged: () => {},
    config: { acme },
    zone: zone && challengeZone(zone),
  });
});
