import { PROOF_LABEL, zoneOf } from '../hostname.ts';
import type { Expectation } from './expectation.ts';
import type { RecordType } from './outcome.ts';
import { namesUpFrom } from './servers.ts';

interface Place {
  readonly name: string;
  readonly type: RecordType;
}

const MAX_NAME_LENGTH = 253;

/** How many names above the right one are looked up. */
const MAX_ABOVE = 5;

/** Names at which people put the records by mistake; most often the zone's name is in them twice. */
export function misplacedNames({ hostname, proof }: Expectation): Place[] {
  const zone = zoneOf(hostname);
  const doubled = `${hostname}.${zone}`;
  const above = namesUpFrom(hostname)
    .slice(1)
    .filter((name) => name === zone || name.endsWith(`.${zone}`))
    .slice(0, MAX_ABOVE);
  const places: Place[] =
    hostname === zone
      ? [{ name: doubled, type: 'A' }]
      : [doubled, ...above].map((name) => ({ name, type: 'CNAME' }));
  if (proof) {
    const names = [
      `${proof.name}.${zone}`,
      hostname,
      `${PROOF_LABEL}.${zone}`,
      // Some panels remove a leading underscore.
      proof.name.replace(/^_/, ''),
    ];
    for (const name of new Set(names)) if (name !== proof.name) places.push({ name, type: 'TXT' });
  }
  return places.filter(({ name }) => name.length <= MAX_NAME_LENGTH);
}
