import { stringify } from 'yaml';

/** JSON with every digit, and a line feed at its end. */
export function toJson(value: unknown, indent: number | undefined = 2): string {
  return `${JSON.stringify(value, exact, indent)}\n`;
}

function exact(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
}

/** YAML with every digit. */
export function toYaml(value: unknown): string {
  return stringify(value, {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    // Older readers would take an unquoted 2030-12-05 for a date and `no` for false.
    compat: 'yaml-1.1',
  });
}
