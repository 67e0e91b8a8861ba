import { parse } from 'tldts';
import { PROOF_LABEL } from '../hostname.ts';
import type { Expectation } from './check-dns.ts';
import type { RecordType } from './outcome.ts';
import { namesUpFrom } from './zone-servers.ts';

interface Place {
  readonly name: string;
  readonly type: RecordType;
}

const MAX_NAME_LENGTH = 253;

/** Names above the right one that are looked at, at most. */
const MAX_ABOVE = 5;

/** Where the records end up by mistake: most of all below the zone's name twice. */
export function nearPlaces({ hostname, proof }: Expectation): Place[] {
  const zone = parse(hostname).domain ?? hostname;
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
      // Some panels drop what they take for a slip of the pen.
      proof.name.replace(/^_/, ''),
    ];
    for (const name of new Set(names)) if (name !== proof.name) places.push({ name, type: 'TXT' });
  }
  return places.filter(({ name }) => name.length <= MAX_NAME_LENGTH);
}
