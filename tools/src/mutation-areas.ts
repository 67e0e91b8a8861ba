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
  readonly mutants: readonly string[];
  readonly why: string;
}

export const AREAS: readonly Area[] = [
  {
    name: 'rules',
    sources: [
      'apps/petstore/src/*/{pet,order,category,key}-rules.ts',
      'apps/petstore/src/precondition.ts',
      'packages/http/src/entity-tags.ts',
    ],
    tests: [
      'apps/petstore/test/{pets,orders,categories,keys}/*rules.test.ts',
      'apps/petstore/test/precondition.test.ts',
    ],
    equivalents: [
      {
        file: 'entity-tags.ts',
        line: '=== etag ||',
        mutants: ['ifMatch === etag || → (nothing)', 'ifNoneMatch === etag || → (nothing)'],
        why: 'It is asked first because that is fast; the list of one tag has it as well.',
      },
      {
        file: 'order-rules.ts',
        line: 'return refuseTransition(petStatus, next)',
        mutants: ['refuseTransition(petStatus, next) ?? → (nothing)'],
        why: 'From pending, each status may follow today.',
      },
      {
        file: 'key-rules.ts',
        line: 'key.expiresAt < until',
        mutants: ['< → <='],
        why: 'Where the two are the same moment, it does not matter which is taken.',
      },
      {
        file: 'pet-rules.ts',
        line: "join(' or ')",
        mutants: ["' or ' → ''"],
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
      'apps/petstore/test/http/admission/*.test.ts',
      'apps/petstore/test/keys/{scope,key-usage}.test.ts',
      'apps/petstore/test/rate-limits/{lent-quotas,rate-limiter,window}.test.ts',
      'apps/petstore/test/rate-limits/{network,failures-by-network}.test.ts',
    ],
    equivalents: [
      {
        file: 'admission.ts',
        line: 'i < checks.length',
        mutants: ['< → <='],
        why: 'There is no check behind the last one.',
      },
      {
        file: 'deprecation.ts',
        line: 'written.set(',
        mutants: ['written.set(deprecation, { baseUrl, lines }); → ;'],
        why: 'The lines are kept because they are slow to write.',
      },
      {
        file: 'rate-limiter.ts',
        line: 'now >= this.#tailUntil',
        mutants: ['now >= this.#tailUntil → (true as boolean)'],
        why: 'The end of the header is kept because it is slow to write.',
      },
      {
        file: 'rate-limiter.ts',
        line: 'this.#tailUntil = this.#endsAt - ',
        mutants: [
          'this.#tailUntil = this.#endsAt - (seconds - 1) * 1_000; → ;',
          '- → +',
          '1_000 → 1001',
        ],
        why: 'It is written anew sooner than it has to be.',
      },
      {
        file: 'rate-limiter.ts',
        line: 'if (!line.asking)',
        mutants: ['!line.asking → (true as boolean)'],
        why: 'To ask a second time joins the question that is out.',
      },
      {
        file: 'rate-limiter.ts',
        line: 'share?.endsInMs ?? 0',
        mutants: ['0 → 1'],
        why: 'Shares are asked for only where quotas are shared; the compiler does not know it.',
      },
      {
        file: 'rate-limiter.ts',
        line: '#reorderAt = 0;',
        mutants: ['0 → 1'],
        why: 'It matters where more is left, which a share tells, and that sets it.',
      },
      {
        file: 'lent-quotas.ts',
        line: 'new RecentMap(windowSeconds * 1_000)',
        mutants: ['1_000 → 1001'],
        why: 'The windows that it keeps longer have ended.',
      },
    ],
  },
  {
    name: 'dns',
    sources: [
      'apps/dashboard/server/src/domains/dns/rules/*.ts',
      'apps/dashboard/server/src/domains/dns/judge.ts',
      'apps/dashboard/server/src/domains/verdict.ts',
    ],
    tests: [
      'apps/dashboard/test/domains/dns/{caa,judge,judge-*,near-miss}.test.ts',
      'apps/dashboard/test/domains/verdict.test.ts',
    ],
    equivalents: [
      {
        file: 'near-miss.ts',
        line: 'Math.abs(text.length',
        mutants: ['Math.abs(text.length - wanted.length) <= MAX_TYPOS && → (nothing)'],
        why: 'Texts whose lengths differ by more are as far from each other: to compare the lengths is faster.',
      },
      {
        file: 'facts.ts',
        line: "add.some(({ type }) => type === 'CAA')",
        mutants: ['some → every'],
        why: 'A CAA record is added alone, and where none is added nothing is said of it.',
      },
      {
        file: 'caa.ts',
        line: 'while (end > 0',
        mutants: ['> → >=', '0 → 1'],
        why: 'What is left of blanks alone is removed as leading ones.',
      },
      {
        file: 'caa.ts',
        line: "owner.slice(0, -zone.length).split('.')",
        mutants: ['0 → 1'],
        why: 'The first label is left out, whatever is left of it.',
      },
    ],
  },
  {
    name: 'certificates',
    sources: [
      'apps/dashboard/server/src/certificates/{issuance,retry,renewal,rate-limits,problem,order}.ts',
      'apps/dashboard/server/src/certificates/{backoff,choose-authority,next-attempt,problem-table}.ts',
    ],
    tests: [
      'apps/dashboard/test/certificates/{rules,problem,attempts,orders,renewing,budget}.test.ts',
      'apps/dashboard/test/certificates/{choose-authority,next-attempt,problem-table}.test.ts',
    ],
    equivalents: [
      {
        file: 'next-attempt.ts',
        line: 'problem.retryAt ?? 0',
        mutants: ['0 → 1'],
        why: 'The later of two instants is taken, and the other one is now or after it.',
      },
      {
        file: 'choose-authority.ts',
        line: '(pauses.get(directoryUrl) ?? 0) > now',
        mutants: ['0 → 1'],
        why: 'Each instant of 1970 is over.',
      },
    ],
  },
];
