import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf } from '../schema-types.ts';
import { MAX_SENTENCE } from './counted.ts';
import { PERIODS } from './period.ts';

/** The tables of what readers do, by the name in their address. */
const TABLES = [
  ...(['pages', 'sources', 'searches', 'missed-searches', 'missing'] as const),
  ...(['feedback', 'calls', 'agents', 'tools'] as const),
] as const;
export type TableName = (typeof TABLES)[number];

export const PeriodQuery = Type.Object({
  period: Type.Optional(
    OneOf([...PERIODS], {
      default: '30d',
      description: 'It ends now. Days and months are those of UTC.',
    }),
  ),
});

export const TableParams = Type.Object({ slug: Type.String(), table: OneOf([...TABLES]) });

export const TableQuery = Type.Object({
  ...PeriodQuery.properties,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Rows at most.' }),
  ),
});

const Count = Type.Integer({ minimum: 0 });

export const ReaderReport = Type.Object(
  {
    isCounted: Type.Boolean({ description: 'Whether the project counts now.' }),
    unit: OneOf(['hour', 'day', 'month']),
    from: Instant,
    since: Nullable(
      Type.String({ description: 'The first day or month of which anything is known.' }),
    ),
    steps: Type.Array(
      Type.Object({
        at: Instant,
        views: Count,
        agents: Type.Integer({ minimum: 0, description: 'Requests of programs.' }),
      }),
    ),
    totals: Type.Object({
      views: Count,
      searches: Count,
      missedSearches: Type.Integer({
        minimum: 0,
        description: 'Searches for which there is nothing, or nothing that has all of their words.',
      }),
      missing: Count,
      helpful: Count,
      unhelpful: Count,
      calls: Count,
      agents: Count,
      tools: Count,
    }),
  },
  { $id: 'ReaderReport' },
);
export type ReaderReport = Static<typeof ReaderReport>;

const ReaderRow = Type.Object({
  name: Type.String({
    description:
      'A path, a host, a search, a program or a tool; empty: all that are not kept by themselves. It is what readers sent: show it as text alone.',
  }),
  count: Count,
  details: Type.Array(Type.Object({ name: Type.String(), count: Count })),
  /** Of a missing path. */
  redirect: Type.Optional(
    Type.Object({
      state: OneOf(['missing', 'solved'], {
        description: 'solved: the site that is live now has something there.',
      }),
      to: Nullable(Type.String({ description: 'The page that it most probably is now.' })),
      line: Nullable(Type.String({ description: 'For `redirects` of `docs.yaml`.' })),
      version: Nullable(Type.String({ description: 'The version whose `docs.yaml` it is.' })),
    }),
  ),
});
export type ReaderRow = Static<typeof ReaderRow>;

export const ReaderTable = Type.Object({ items: Type.Array(ReaderRow) }, { $id: 'ReaderTable' });
export type ReaderTable = Static<typeof ReaderTable>;

export const ReaderSentence = Type.Object(
  {
    id: Type.Integer(),
    day: Type.String({ format: 'date', description: 'By UTC; nothing says when on it.' }),
    page: Type.String(),
    isHelpful: Type.Boolean(),
    text: Type.String({
      maxLength: MAX_SENTENCE,
      description: 'As the reader wrote it: show it as text alone.',
    }),
  },
  { $id: 'ReaderSentence' },
);
export type ReaderSentence = Static<typeof ReaderSentence>;
