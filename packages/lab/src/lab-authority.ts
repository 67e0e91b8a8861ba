import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startGate } from './gate.ts';
import { makeLoopbackCertificate } from './loopback-certificate.ts';
import { startPebble } from './scratch-pebble.ts';

/** The lab's certificate authority, with a gate in front that can turn orders away. */
export interface LabAuthority {
  /** For people: which one it is, and where. */
  readonly name: string;
  readonly directoryUrl: string;
  /** PEM: whom to trust at the directory. */
  readonly caFile: string;
  /** PEM: the root of what it issues. */
  readonly rootFile: string;
  /** How to get the one that others wrote, where it is missing. */
  readonly pebbleHint: string | undefined;
  turnAway(hostname: string, isTurnedAway: boolean): void;
  close(): Promise<void>;
}

interface Options {
  /** Where its files are written. */
  readonly folder: string;
  /** The resolver that it looks names up at, as `ip:port`. */
  readonly dnsServer: string;
  /** Where it looks for proofs: the edge's ports. */
  readonly httpPort: number;
  readonly tlsPort: number;
}

export async function startLabAuthority({ folder, ...options }: Options): Promise<LabAuthority> {
  const upstream = await startPebble({ folder, ...options });
  const certificate = await makeLoopbackCertificate();
  const gate = await startGate(upstream, certificate);
  const caFile = join(folder, 'lab-directory.pem');
  const rootFile = join(folder, 'lab-root.pem');
  await writeFile(caFile, certificate.certificate);
  await writeFile(rootFile, upstream.root);
  return {
    name: 'pebble',
    directoryUrl: gate.origin + upstream.path,
    caFile,
    rootFile,
    pebbleHint: undefined,
    turnAway: gate.turnAway,
    async close() {
      await gate.close();
      await upstream.close();
    },
  };
}
