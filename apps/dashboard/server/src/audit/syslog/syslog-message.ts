import type { AuditEntry } from '../audit-entry.ts';

/** Facility 13 (log audit) and severity 5 (notice), of RFC 5424, section 6.2.1. */
const PRIORITY = 13 * 8 + 5;

/** Receivers take at least 2,048 octets, and most take 8,192 or more (RFC 5424, section 6.1). */
const MAX_JSON_BYTES = 8_000;

/** An entry as a syslog message (RFC 5424): its action is the MSGID, and the entry itself the text, as JSON. */
export function syslogMessage(entry: AuditEntry, hostname: string): string {
  const header = [
    `<${PRIORITY}>1`,
    entry.at,
    printable(hostname, 255),
    'dashboard',
    // Any process may send it.
    '-',
    printable(entry.action, 32),
    // Structured data would need a number of an enterprise.
    '-',
  ].join(' ');
  return `${header} ${textOf(entry)}`;
}

/** What is longer than receivers take loses its details, and says so; the log itself has them. */
function textOf(entry: AuditEntry): string {
  const whole = JSON.stringify(entry);
  if (Buffer.byteLength(whole) <= MAX_JSON_BYTES) return whole;
  return JSON.stringify({ ...entry, details: { leftOut: 'too long for syslog' } });
}

/** A field of the header: printable US-ASCII without spaces, or `-` for none. */
function printable(text: string, most: number): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, most) || '-';
}
