import type { ChallengeRun } from '../challenge-run.ts';
import type { Challenge } from './challenge.ts';

/** A challenge as it is sent. `run`: what the sandbox is at. */
export function challengeJson(
  { code, title, task, rules }: Challenge,
  run: ChallengeRun | undefined,
): object {
  const isRunning = run?.code === code && run.endedAt === undefined;
  return { code, title, task, rules: rules.map((rule) => rule.code), isRunning };
}

/** A challenge that was started, as it is sent. */
export function runJson({ title, task }: Challenge, { code, seed, ...run }: ChallengeRun): object {
  return {
    code,
    title,
    seed,
    startedAt: timeOf(run.startedAt),
    endedAt: timeOf(run.endedAt),
    task,
  };
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
