import type { DnsRecord } from '../../../server/src/domains/verdict.ts';
import { exactTime } from '../ui/format.ts';
import { isChallenge, type Stage, stageOf } from './preparation.ts';
import { furtherRecords } from './records.ts';
import { remedyOf } from './remedy.ts';
import type { ShownDomain } from './shown-domain.ts';

/** What to say of the record of a prepared domain itself. */
const MOVE: Record<Stage, (hostname: string) => string> = {
  proof: (hostname) =>
    `Leave ${hostname} as it is for now. Once its certificate is there, this record takes its place:`,
  certificate: (hostname) =>
    `Leave ${hostname} as it is for now. Once its certificate is there, this record takes its place:`,
  ready: (hostname) =>
    `The certificate is there. Please put this record in the place of what ${hostname} has now:`,
  moved: (hostname) => `The record of ${hostname} itself:`,
};

function inLines({ type, host, name, value, ttl }: DnsRecord): string[] {
  const lines = ['', `Type:  ${type}`, `Host:  ${host}   (full name: ${name})`];
  lines.push(`Value: ${value}`, `TTL:   ${ttl}`);
  if (type === 'CAA') lines.push('Keep the CAA records that are there already.');
  return lines;
}

/**
 * The instructions for a domain, as text for a message to whoever manages its DNS; with the link, where there is one.
 */
export function instructions(domain: ShownDomain, link: string | null): string {
  const { hostname, records, verdict, checkedAt } = domain;
  const stage = stageOf(domain);
  const isLater = (record: DnsRecord) => stage !== undefined && !isChallenge(record);
  const lines = [`Please create in the DNS, for ${hostname}:`];
  for (const record of [...records.filter((one) => !isLater(one)), ...furtherRecords(domain)]) {
    lines.push(...inLines(record));
  }
  for (const record of records.filter(isLater)) {
    lines.push('', MOVE[stage ?? 'moved'](hostname), ...inLines(record));
  }
  if (verdict && verdict.remove.length > 0) {
    lines.push('', 'Please remove:');
    for (const { type, name, value } of verdict.remove) lines.push(`${type} ${name} ${value}`);
  }
  if (verdict && verdict.code !== 'verified') {
    lines.push('', `Last check${checkedAt === null ? '' : ` (${exactTime(checkedAt)})`}:`);
    lines.push(verdict.message);
    // The records to create and to remove stand above.
    const remedy = remedyOf(domain);
    const words = remedy ? remedy.otherwise : verdict.remedy;
    if (words !== undefined) lines.push(words);
  }
  if (link !== null) {
    lines.push(
      '',
      `Whether all is right can be seen and checked here, without signing in: ${link}`,
    );
  }
  return lines.join('\n');
}
