import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf } from '../schema-types.ts';
import { Commit } from './commit/deploy-commit.ts';

const DeployStateName = OneOf(['queued', 'building', 'succeeded', 'failed']);

const Problem = Type.Object({
  message: Type.String(),
  path: Type.String({ description: 'A JSON pointer into the document, or a file.' }),
  file: Type.Optional(
    Type.String({ description: 'Of an archive: the file that the pointer is into.' }),
  ),
  line: Nullable(Type.Integer()),
});

const RuleName = Type.String({ description: 'What it is about: the same for all of a kind.' });

const Finding = Type.Object({
  message: Type.String(),
  rule: RuleName,
  file: Type.String({ description: 'By its path in the upload; empty: the upload as a whole.' }),
  path: Type.String({ description: 'A JSON pointer into the file; empty for none.' }),
  line: Nullable(Type.Integer()),
});

const ChangeCounts = Type.Object(
  {
    breaking: Type.Integer(),
    risky: Type.Integer(),
    compatible: Type.Integer(),
    documentation: Type.Integer(),
  },
  {
    description:
      'How many changes of the API there are, compared with what was live where the deploy was going to be; null: nothing was compared.',
  },
);

const summary = {
  id: Type.String(),
  number: Type.Integer({ description: "1 for the project's first." }),
  state: DeployStateName,
  live: Type.Boolean({
    description: "Whether it is the project's live one, or the one that its version shows.",
  }),
  url: Type.String({
    description: "The deploy's own address, which shows it whether or not it is live.",
  }),
  branch: Nullable(
    Type.String({ description: 'The branch that it is a preview of: then it never goes live.' }),
  ),
  branchUrl: Nullable(
    Type.String({ description: "The branch's lasting address, as long as it has a preview." }),
  ),
  version: Nullable(
    Type.String({ description: 'The version of the site that it belongs to; null: none.' }),
  ),
  sourceName: Type.String(),
  message: Nullable(
    Type.String({
      description: "What it is about, in its sender's words; null: nothing was said.",
    }),
  ),
  commit: Nullable(Commit),
  createdBy: Type.String({ description: 'An e-mail address.' }),
  createdByName: Nullable(
    Type.String({ description: "The name of its sender's account then; null: it was no account." }),
  ),
  createdAt: Instant,
  startedAt: Nullable(Instant),
  finishedAt: Nullable(Instant),
  activatedAt: Nullable(Instant),
  isPruned: Type.Boolean({
    description: 'Its files were removed, so it cannot be put live again.',
  }),
  changes: Nullable(ChangeCounts),
  held: Nullable(
    Type.Object(
      {
        reason: OneOf(['breaking', 'not_compared']),
        message: Type.String({ description: 'The same in a sentence.' }),
      },
      {
        description:
          'Why it succeeded and did not go live: the project has an owner confirm what breaks clients. null: it is not held back.',
      },
    ),
  ),
};

const ComparedWith = Type.Object(
  { id: Type.String(), number: Type.Integer() },
  { description: 'The deploy whose API it was compared with; null: none was live.' },
);

export const DeploySummary = Type.Object(summary, { $id: 'DeploySummary' });
export type DeploySummary = Static<typeof DeploySummary>;

export const Deploy = Type.Object(
  {
    ...summary,
    strict: Type.Boolean({ description: 'Whether warnings make it fail.' }),
    errors: Type.Array(Problem),
    warnings: Type.Array(Finding, {
      description:
        'What is against the specification, or shown in part. It is published all the same.',
    }),
    hints: Type.Array(Finding, { description: 'What readers would find better.' }),
    comparedWith: Nullable(ComparedWith),
    changesProblem: Nullable(
      Type.String({ description: 'Why the API could not be compared; null: it could.' }),
    ),
  },
  { $id: 'Deploy' },
);
export type Deploy = Static<typeof Deploy>;

/**
 * A line of a deploy's log, as `GET …/deploys/{id}/log` lists them. With `Accept: text/event-stream` the
 * same route streams them as events `log` (id: seq), then one event `end` with the Deploy.
 */
export const LogLine = Type.Object(
  {
    seq: Type.Integer(),
    at: Instant,
    level: OneOf(['info', 'warning', 'error']),
    message: Type.String(),
  },
  { $id: 'LogLine' },
);
export type LogLine = Static<typeof LogLine>;

const ChangeSide = Nullable(
  Type.Object(
    {
      file: Type.String({
        description: 'By its path in the upload, or in the site of the old deploy.',
      }),
      line: Nullable(Type.Integer()),
      pointer: Type.String({ description: 'A JSON pointer into the file.' }),
      value: Type.Optional(Type.Unknown()),
    },
    {
      description:
        'null where there is nothing. A value of more than 1,000 characters is left out.',
    },
  ),
);

const PageUrl = Nullable(Type.String({ description: "The operation's page; null: it has none." }));

/** `GET …/deploys/{id}/changes` */
export const DeployChanges = Type.Object(
  {
    summary: Nullable(ChangeCounts),
    changes: Type.Array(
      Type.Object({
        code: Type.String({ examples: ['operation-removed'] }),
        verdict: OneOf(['breaking', 'risky', 'compatible', 'documentation']),
        operation: Nullable(Type.String({ examples: ['GET /pets'] })),
        message: Type.String(),
        old: ChangeSide,
        new: ChangeSide,
        allowed: Type.Optional(
          Type.Object(
            { by: OneOf(['sunset', 'stability', 'exception']), reason: Type.String() },
            { description: 'Why it counts as compatible although it breaks clients.' },
          ),
        ),
        pages: Type.Object(
          { old: PageUrl, new: PageUrl },
          { description: 'Paths below the addresses of the two deploys.' },
        ),
      }),
      { description: 'The gravest first.' },
    ),
    leftOut: Type.Integer({ description: 'How many are left out at the end.' }),
    comparedWith: Nullable(
      Type.Object({
        id: Type.String(),
        number: Type.Integer(),
        url: Nullable(
          Type.String({ description: 'Its own address; null: its files were removed.' }),
        ),
      }),
    ),
    problem: Nullable(Type.String({ description: 'Why the API could not be compared.' })),
  },
  { $id: 'DeployChanges' },
);
export type DeployChanges = Static<typeof DeployChanges>;
