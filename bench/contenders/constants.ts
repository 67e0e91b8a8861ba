import { readFileSync } from 'node:fs';

/** The bodies for servers that store nothing: the same text that the service would send. */
export function constants(path: string): { page: string; pet: string } {
  return JSON.parse(readFileSync(path, 'utf8'));
}
