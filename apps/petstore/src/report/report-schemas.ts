import { Type } from '@petstore/service/schema-builders.ts';
import { named, OneOf, Ref } from '../schema-types.ts';
import { VERDICTS } from './rule.ts';

const ReportVerdict = named(
  'ReportVerdict',
  OneOf(VERDICTS, {
    description:
      '`broken` only where the requests leave no other reading; `not_seen` where the client had no occasion.',
  }),
);

const ReportEvidence = named(
  'ReportEvidence',
  Type.Object(
    {
      requests: Type.Array(Type.Integer({ minimum: 1 }), {
        description: 'Numbers of requests, in the order in which they came.',
      }),
      seen: Type.String({ description: 'What was seen.' }),
      expected: Type.String({ description: 'What would be right.' }),
      isNotice: Type.Optional(
        Type.Boolean({
          description:
            'It does not break the rule, and is to be known all the same: how many days a deprecated operation has left.',
        }),
      ),
    },
    { description: 'What a verdict rests on.' },
  ),
);

const ReportRule = named(
  'ReportRule',
  Type.Object(
    {
      code: Type.String({
        description: 'Names the rule, for programs.',
        examples: ['pages_by_link'],
      }),
      title: Type.String({ description: 'The rule.' }),
      verdict: Ref(ReportVerdict),
      evidence: Type.Array(Ref(ReportEvidence)),
      standard: Type.Object(
        {
          title: Type.String({ examples: ['RFC 8288, section 3'] }),
          url: Type.String({ format: 'uri' }),
        },
        { description: 'Where the rule comes from.' },
      ),
      advice: Type.String({ description: 'How to have the rule seen.' }),
    },
    { description: 'A rule for clients, and whether this one keeps it.' },
  ),
);

const Time = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });

const reportMembers = {
  sandbox: Type.String({ description: 'The id of the sandbox.' }),
  verdict: Ref(ReportVerdict),
  requests: Type.Object({
    count: Type.Integer({ description: 'How many requests are judged.', minimum: 0 }),
    isWhole: Type.Boolean({
      description: 'Whether these are all there were: the newest 5,000 are kept, in up to 2 MiB.',
    }),
    from: Time('When the first of them came.'),
    to: Time('When the last of them came.'),
  }),
  rules: Type.Array(Ref(ReportRule)),
};

export const ClientReport = named(
  'ClientReport',
  Type.Object(reportMembers, { description: 'How a client behaved.' }),
);

const runMembers = {
  code: Type.String({ examples: ['list-while-others-add'] }),
  title: Type.String(),
  seed: Type.Integer({ description: 'What is drawn depends on it.', minimum: 0 }),
  startedAt: Time('When it was started.'),
  endedAt: Time('When the client was done; null while it is not.'),
};

export const ChallengeRunBody = named(
  'ChallengeRun',
  Type.Object(
    { ...runMembers, task: Type.String({ description: 'What the client is to do.' }) },
    { description: 'A challenge that was started.' },
  ),
);

export const ChallengeVerdict = named(
  'ChallengeVerdict',
  Type.Object(
    { ...reportMembers, challenge: Type.Object(runMembers) },
    { description: 'How a client did in a challenge.' },
  ),
);

const ChallengeBody = named(
  'Challenge',
  Type.Object(
    {
      code: Type.String({ examples: ['list-while-others-add'] }),
      title: Type.String(),
      task: Type.String({ description: 'What the client is to do.' }),
      rules: Type.Array(Type.String(), { description: 'Codes of the rules that have to be kept.' }),
      isRunning: Type.Boolean({ description: 'Whether the sandbox is at it now.' }),
    },
    { description: 'Something to do with a client, in a sandbox that makes it hard.' },
  ),
);

export const ChallengeBodies = named(
  'Challenges',
  Type.Array(Ref(ChallengeBody), { description: 'Every challenge.' }),
);

/** In the order of the document. */
export const REPORT_SCHEMAS = [
  ...[ReportVerdict, ReportEvidence, ReportRule, ClientReport],
  ...[ChallengeBody, ChallengeBodies, ChallengeRunBody, ChallengeVerdict],
];
