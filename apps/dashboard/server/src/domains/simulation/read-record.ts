import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { domainToASCII } from 'node:url';
import { invalidRequest } from '../../api-error.ts';
import type { ImaginedRecord } from '../dns/record-changes.ts';
import type { SimulationRequest } from './simulation.ts';

type TypedRecord = NonNullable<SimulationRequest['set']>[number];

/**
 * Reads a record that a person typed, whose name must be in `zone`. Throws ApiError `name must …` or `value must …`
 * with what to write.
 */
export function readRecord({ type, name, value }: TypedRecord, zone: string): ImaginedRecord {
  const at = dnsName('name', name);
  if (at !== zone && !at.endsWith(`.${zone}`)) {
    throw invalidRequest(
      `name must be in ${zone}, as a whole name such as ${at.includes('.') ? 'docs' : at}.${zone}; it is ${JSON.stringify(name)}.`,
    );
  }
  if (type === 'ALIAS' && at.startsWith('*.')) {
    throw invalidRequest('name must not be a wildcard for an ALIAS record.');
  }
  return { type, name: at, value: readValue(type, value.trim()) };
}

function readValue(type: TypedRecord['type'], value: string): string {
  switch (type) {
    case 'A':
      if (!isIPv4(value)) throw mustBe('an IPv4 address such as 192.0.2.10', value);
      return value;
    case 'AAAA':
      if (!isIPv6(value) || value.includes('%'))
        throw mustBe('an IPv6 address such as 2001:db8::10', value);
      return new SocketAddress({ address: value, family: 'ipv6' }).address;
    case 'CNAME':
    case 'ALIAS':
      return dnsName('value', value);
    case 'MX':
      return readMx(value);
    case 'CAA':
      return readCaa(value);
    case 'TXT':
      return value.replace(/^"(.*)"$/s, '$1');
  }
}

function readMx(value: string): string {
  const [, preference, host] = /^(\d{1,5})\s+(\S+)$/.exec(value) ?? [];
  if (preference === undefined || host === undefined || Number(preference) > 65_535)
    throw mustBe('a preference and a host, such as 10 mail.example.com', value);
  return `${Number(preference)} ${dnsName('value', host)}`;
}

function readCaa(value: string): string {
  const [, flags, tag, text] = /^(\d{1,3})\s+([a-z0-9]{1,15})\s+"?([^"]*)"?$/i.exec(value) ?? [];
  if (flags === undefined || tag === undefined || text === undefined || Number(flags) > 255)
    throw mustBe('flags, a tag and a value, such as 0 issue "letsencrypt.org"', value);
  return `${Number(flags)} ${tag} "${text}"`;
}

const LABEL = /^(?:\*|[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)$/;

/** A name of any record: with underscores, and with a wildcard in front. */
function dnsName(field: 'name' | 'value', typed: string): string {
  const text = typed.trim().replace(/\.$/, '');
  // domainToASCII refuses wildcards.
  const ascii = /[^\0-\x7f]/.test(text) ? domainToASCII(text) : text.toLowerCase();
  const labels = ascii.split('.');
  const isName =
    ascii.length <= 253 &&
    labels.every(
      (label, i) => LABEL.test(label) && (label !== '*' || (i === 0 && field === 'name')),
    );
  if (!isName) {
    throw invalidRequest(
      `${field} must be a name such as docs.example.com; it is ${JSON.stringify(typed.slice(0, 100))}.`,
    );
  }
  return ascii;
}

function mustBe(what: string, value: string) {
  return invalidRequest(`value must be ${what}; it is ${JSON.stringify(value.slice(0, 100))}.`);
}
