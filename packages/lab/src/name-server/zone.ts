import { isAtOrBelow, plainName, type ZoneRecord, type ZoneRecordType } from './zone-record.ts';

/** A zone that can be changed while it is served. Names are whole names, also below the zone's own. */
export interface Zone {
  readonly origin: string;
  /** Makes these the only records of a name and type; an empty list removes them. */
  setRecords(
    name: string,
    type: ZoneRecordType,
    values: readonly ZoneRecord['value'][],
    ttl?: number,
  ): void;
  addRecord(record: ZoneRecord): void;
  /** Removes the records of a name: of one type, with one value, or all. */
  removeRecords(name: string, type?: ZoneRecordType, value?: ZoneRecord['value']): void;
  /** Replaces all records. */
  replace(records: readonly ZoneRecord[]): void;
  records(): readonly ZoneRecord[];
}

/** Throws a RangeError for a record outside of the zone. A zone without SOA gets one. */
export function createZone(origin: string, initial: readonly ZoneRecord[] = []): Zone {
  const apex = plainName(origin);
  let held: ZoneRecord[] = [];

  function own(record: ZoneRecord): ZoneRecord {
    const name = plainName(record.name);
    if (!isAtOrBelow(name, apex)) throw new RangeError(`${name} is not in the zone ${apex}.`);
    return { ...record, name };
  }

  const zone: Zone = {
    origin: apex,
    setRecords(name, type, values, ttl) {
      zone.removeRecords(name, type);
      for (const value of values) {
        zone.addRecord({ name, type, value, ...(ttl === undefined ? {} : { ttl }) });
      }
    },
    addRecord(record) {
      held.push(own(record));
    },
    removeRecords(name, type, value) {
      held = held.filter(
        (record) =>
          record.name !== plainName(name) ||
          (type !== undefined && record.type !== type) ||
          (value !== undefined && String(record.value) !== String(value)),
      );
    },
    replace(records) {
      const next = records.map(own);
      const hasSoa = next.some(({ name, type }) => name === apex && type === 'SOA');
      held = hasSoa ? next : [soaOf(apex), ...next];
    },
    records: () => held,
  };
  zone.replace(initial);
  return zone;
}

/** Negative answers may be cached for a minute, its last number (RFC 2308, section 4). */
function soaOf(origin: string): ZoneRecord {
  const value = `ns.${origin} hostmaster.${origin} 1 3600 600 604800 60`;
  return { name: origin, type: 'SOA', value, ttl: 3_600 };
}
