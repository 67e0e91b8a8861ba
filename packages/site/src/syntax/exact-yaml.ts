import { stringify } from 'yaml';

/** YAML with every digit. */
export function toYaml(value: unknown): string {
  return stringify(value, {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    // Older parsers read an unquoted 2030-12-05 as a date and `no` as false.
    compat: 'yaml-1.1',
  });
}
