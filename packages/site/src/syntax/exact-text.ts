import { stringify } from 'yaml';

/** JSON with every digit, and a line feed at its end. */
export function toJson(value: unknown, indent: number | undefined = 2): string {
  return `${JSON.stringify(value, exact, indent)}\n`;
}

/** Whether a value has more than that many letters as JSON. It visits no more of it than necessary. */
export function isLongJson(value: unknown, most: number): boolean {
  let left = most;
  const fits = (part: unknown): boolean => {
    left -= typeof part === 'string' ? part.length : 1;
    if (left < 0) return false;
    if (typeof part !== 'object' || part === null) return true;
    if (Array.isArray(part)) return part.every(fits);
    return Object.entries(part).every(([name, member]) => {
      left -= name.length;
      return fits(member);
    });
  };
  return !fits(value) || toJson(value).length > most;
}

function exact(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
}

/** YAML with every digit. */
export function toYaml(value: unknown): string {
  return stringify(value, {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    // Older parsers read an unquoted 2030-12-05 as a date and `no` as false.
    compat: 'yaml-1.1',
  });
}
