import { LONGEST_WAIT_MS } from './challenges/challenge.ts';
import { challengeJson, runJson } from './challenges/challenge-json.ts';
import { CHALLENGES, challengeOf } from './challenges/challenges.ts';
import { judge } from './judge.ts';
import type { RecordedRequest, Recording } from './recorded-request.ts';
import { reportJson, reportOf } from './report.ts';

// The examples of the document are made as the responses are.

const NOON = Date.parse('2026-11-21T12:00:00.000Z');

const SANDBOX = 'sbx_5f0c2a9be1d47386';

const request: RecordedRequest = {
  ...{ number: 1, at: NOON, durationMs: 1, method: 'GET', status: 200 },
  ...{ operation: 'listPets', path: '/v1/pets', target: '/v1/pets' },
};

function recording(requests: readonly RecordedRequest[], isOver = false): Recording {
  return {
    ...{ requests, isWhole: true, deliveries: [], isOver },
    ...{ longestWaitMs: LONGEST_WAIT_MS, now: NOON },
  };
}

/** Of a sandbox that saw one request. */
export const exampleReport = reportJson(
  reportOf(SANDBOX, [request], { rules: judge(recording([request])), isWhole: true }),
);

const { code, title, rules } = challengeOf('big-ids');

const run = { code, seed: 1, startedAt: NOON, after: 0 };

function verdictAt(endedAt?: number): object {
  const judged = judge(recording([], endedAt !== undefined), rules);
  const challenge = { title, run: { ...run, endedAt }, asked: rules.length };
  return reportJson(reportOf(SANDBOX, [], { rules: judged, isWhole: true }, challenge));
}

/** Of a challenge that was just started. */
export const exampleVerdict = verdictAt();

/** The same, ended. */
export const exampleEnded = verdictAt(NOON);

export const exampleRun = runJson(challengeOf(code), run);

export const exampleChallenges = CHALLENGES.map((challenge) => challengeJson(challenge, undefined));
