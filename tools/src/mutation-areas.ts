/** Sources whose mutants are tried, and the files of tests that should notice them. Patterns, from the root. */
export interface Area {
  readonly name: string;
  readonly sources: readonly string[];
  /** Quick ones: each mutant is tried on all of them that run its line, until one fails. */
  readonly tests: readonly string[];
  /** Mutants that do what the original does. They do not count. */
  readonly equivalents: readonly Equivalent[];
}

interface Equivalent {
  /** The end of the file's path. */
  readonly file: string;
  /** A part of its line. */
  readonly line: string;
  /** As the report has it. */
  readonly mutant: string;
  readonly why: string;
}

export const AREAS: readonly Area[] = [
  {
    name: 'rules',
    sources: [
      'apps/petstore/src/*/{pet,order,category,key}-rules.ts',
      'apps/petstore/src/precondition.ts',
    ],
    tests: [
      'apps/petstore/test/{pets,orders,categories,keys}/*rules.test.ts',
      'apps/petstore/test/precondition.test.ts',
    ],
    equivalents: [
      {
        file: 'precondition.ts',
        line: 'tags === etag ||',
        mutant: 'tags === etag || → (nothing)',
        why: 'It is asked first because that is fast; the list of one tag has it as well.',
      },
      {
        file: 'order-rules.ts',
        line: 'return refuseTransition(petStatus, next)',
        mutant: 'refuseTransition(petStatus, next) ?? → (nothing)',
        why: 'From pending, each status may follow today.',
      },
      {
        file: 'key-rules.ts',
        line: 'key.expiresAt < until',
        mutant: '< → <=',
        why: 'Where the two are the same moment, it does not matter which is taken.',
      },
      {
        file: 'pet-rules.ts',
        line: "join(' or ')",
        mutant: "' or ' → ''",
        why: 'The one status that not all others may follow has one that may.',
      },
    ],
  },
  {
    name: 'admission',
    sources: [
      'apps/petstore/src/http/admission/*.ts',
      'apps/petstore/src/rate-limits/*.ts',
      'apps/petstore/src/keys/{scope,key-usage}.ts',
    ],
    tests: [
      'apps/petstore/test/http/{admission/*,authenticate,scopes,deprecation,key-usage,key-expiry}.test.ts',
      'apps/petstore/test/keys/*.test.ts',
      'apps/petstore/test/rate-limits/{rate-limiter,window,network,failed-authentications,key-limit}.test.ts',
    ],
    equivalents: [],
  },
];
