import { readFile } from 'node:fs/promises';

/** The files that operators install. The cluster here uses the same ones. */
const DEPLOYED = new URL('../../../../deploy/cluster/', import.meta.url);

/** The variables of the templates, as in deploy/cluster/machine.env. */
export interface MachineFacts {
  readonly MACHINE: string;
  readonly ADDRESS: string;
  readonly PEER: string;
  readonly SUPERUSER_PASSWORD: string;
  readonly REPLICATION_PASSWORD: string;
  readonly REWIND_PASSWORD: string;
  readonly DATABASE_PASSWORD: string;
  readonly DASHBOARD_DATABASE_PASSWORD: string;
  readonly DASHBOARD_SECRET_KEY: string;
}

/**
 * A file of deploy/cluster with its variables filled in, as envsubst does. `folders`: folders of a real machine, and
 * where they are here.
 */
export async function configuration(
  name: string,
  facts: MachineFacts,
  folders: Readonly<Record<string, string>> = {},
): Promise<string> {
  let text = await readFile(new URL(name, DEPLOYED), 'utf8');
  for (const [fact, value] of Object.entries(facts)) text = text.replaceAll(`\${${fact}}`, value);
  for (const [folder, here] of Object.entries(folders)) text = text.replaceAll(folder, here);
  return text;
}

/** The variables of a file of lines `NAME=value`. */
export function variables(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => /^[A-Z]/.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}
