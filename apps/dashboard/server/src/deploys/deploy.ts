import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf } from '../schema-types.ts';

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
  createdBy: Type.String({ description: 'An e-mail address.' }),
  createdAt: Instant,
  startedAt: Nullable(Instant),
  finishedAt: Nullable(Instant),
  activatedAt: Nullable(Instant),
  isPruned: Type.Boolean({
    description: 'Its files were removed, so it cannot be put live again.',
  }),
};

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
