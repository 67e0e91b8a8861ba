import type { RecordedRequest } from '../recorded-request.ts';
import { type Evidence, evidence, findingOf, nameOf, type Rule } from '../rule.ts';

const EXPECTED = 'Keep ids as 64-bit integers or as text: a double has 53 bits.';

export const exactIds: Rule = {
  code: 'exact_ids',
  title: 'Ids are sent back with every digit.',
  standard: {
    title: 'RFC 8259, section 6',
    url: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  },
  advice:
    'Read an animal whose id or categoryId is beyond 9007199254740992 and send that number back, ' +
    'or start the challenge big-ids.',
  judge({ requests }) {
    const sent = new Map<string, RecordedRequest>();
    /** What a number becomes in a double, for those that it changes. */
    const rounded = new Map<string, string>();
    const used = new Set<string>();
    const broken: Evidence[] = [];
    const kept: Evidence[] = [];
    for (const request of requests) {
      for (const id of request.usedIds ?? []) {
        const source = sent.get(id);
        const exact = rounded.get(id);
        if (source && isLostInDouble(id)) {
          kept.push(evidence([source, request], `It sent ${id} back as it was.`, EXPECTED));
        } else if (!source && exact !== undefined && !used.has(id)) {
          const from = sent.get(exact) as RecordedRequest;
          const seen = `The service sent ${exact}; ${nameOf(request)} has ${id}, which is that number in a double.`;
          broken.push(evidence([from, request], seen, EXPECTED));
        }
        used.add(id);
      }
      for (const id of request.sentIds ?? []) {
        if (!sent.has(id)) sent.set(id, request);
        if (!isLostInDouble(id)) continue;
        for (const double of writtenAsDouble(id)) rounded.set(double, id);
      }
    }
    return findingOf(broken, kept);
  },
};

function isLostInDouble(id: string): boolean {
  return BigInt(Number(id)) !== BigInt(id);
}

/** How programs write the double that is next to an id: every digit of it, or as few as tell it from others (JavaScript). */
function writtenAsDouble(id: string): string[] {
  const double = Number(id);
  return [`${BigInt(double)}`, String(double)];
}
