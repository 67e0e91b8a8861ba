import { exactTime } from '../ui/format.ts';
import { furtherRecords } from './records.ts';
import { remedyOf } from './remedy.ts';
import type { ShownDomain } from './shown-domain.ts';

/**
 * The instructions for a domain, as text for a message to whoever manages its DNS; with the link, where there is one.
 */
export function instructions(domain: ShownDomain, link: string | null): string {
  const { hostname, records, verdict, checkedAt } = domain;
  const wanted = [...records, ...furtherRecords(domain)];
  const lines = [`Please create in the DNS, for ${hostname}:`];
  for (const { type, host, name, value, ttl } of wanted) {
    lines.push('', `Type:  ${type}`, `Host:  ${host}   (full name: ${name})`, `Value: ${value}`);
    lines.push(`TTL:   ${ttl}`);
    if (type === 'CAA') lines.push('Keep the CAA records that are there already.');
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
