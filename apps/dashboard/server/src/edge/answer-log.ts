import type { EdgeLog } from './edge-log.ts';
import type { Question } from './question.ts';

/** One line for each answer. The path and not the query, which may hold what is nobody's business. */
export function logAnswer(
  log: EdgeLog,
  { method, authority, target }: Pick<Question, 'method' | 'authority' | 'target'>,
  status: number,
  begun: number,
): void {
  const durationMs = Math.round((performance.now() - begun) * 1_000) / 1_000;
  log.debug(
    { host: authority, method, path: target.split('?')[0], status, durationMs },
    'answered',
  );
}
