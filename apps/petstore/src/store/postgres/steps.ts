import { type Index, MIGRATIONS } from './migrations.ts';

/** One step of a migration. The plan and the execution use the same list. */
export type Step =
  | {
      /** An index, built while others read and write. */
      readonly kind: 'index';
      readonly version: number;
      readonly does: string;
      readonly index: Index;
    }
  | {
      /** Definitions, changed in one transaction while nobody else may use the tables that are locked. */
      readonly kind: 'script';
      readonly version: number;
      readonly does: string;
      readonly locks: readonly string[];
      readonly script: string;
    };

/** The steps from a version of the schema, 0 for none, to the newest, in order. */
export function stepsFrom(version: number): readonly Step[] {
  if (version === 0) return [newSchema()];
  return MIGRATIONS.slice(version).flatMap(({ does, indexes = [], locks = [], script }, at) => {
    const to = version + at + 1;
    return [
      ...indexes.map((index) => ({
        kind: 'index' as const,
        version: to,
        does: `builds the index ${index.name} of ${index.table} (${index.columns})`,
        index,
      })),
      { kind: 'script' as const, version: to, does, locks, script },
    ];
  });
}

/** A new database has no rows and no users: everything happens at once. */
function newSchema(): Step {
  const scripts = MIGRATIONS.map(({ indexes = [], script, anew = '' }) => {
    const built = indexes.map(
      ({ name, table, columns }) => `CREATE INDEX ${name} ON ${table} (${columns});`,
    );
    return [...built, script, anew].join('\n');
  });
  return {
    kind: 'script',
    version: MIGRATIONS.length,
    does: 'makes the tables of a new petstore',
    locks: [],
    script: scripts.join('\n'),
  };
}
