import type { Figures } from '../checker/statistics.ts';
import { MOST_CONNECTIONS } from '../cluster.ts';
import type { Limits } from '../faults/fault.ts';
import type { Trial } from './trial.ts';

/**
 * On a machine that is too busy for the limit even with a healthy cluster, p99 of reads may be this many times as long
 * as then.
 */
const BUSY_TIMES = 3;

/** The limits that a fault broke, as sentences. */
export function brokenLimits(trial: Trial, limits: Limits): string[] {
  const { reads, writes, heldMs, steady, reached = [] } = trial;
  const { readsMs, writesMs, writesWait, reachedMs = 0, steadyReadsMs = 0 } = limits;
  const broken: string[] = [];
  const expect = (isSo: boolean, otherwise: string) => {
    if (!isSo) broken.push(`${trial.fault}: ${otherwise}`);
  };
  const expectBack = (what: string, { awayMs }: Figures, most: number) =>
    expect(awayMs <= most, `${what} were away for ${awayMs} ms; at most ${most} are allowed.`);

  expectBack('reads', reads, readsMs);
  expectBack('writes', writes, writesMs + (writesWait ? heldMs : 0));
  if (steady) {
    const { p99 } = steady.reads;
    const most = Math.max(steadyReadsMs, BUSY_TIMES * steady.before.p99);
    expect(p99 <= most, `p99 of reads was ${p99} ms; at most ${most} is allowed.`);
    expect(
      steady.connections <= MOST_CONNECTIONS,
      `the database had ${steady.connections} connections; the pools may hold ${MOST_CONNECTIONS}.`,
    );
  }
  for (const { during, after } of reached) {
    expectBack(`when its cause was gone, reads of ${after.name}`, after.reads, reachedMs);
    expectBack(`when its cause was gone, writes of ${after.name}`, after.writes, reachedMs);
    // Otherwise the figures above mean nothing.
    const failed = during.writes.unavailable + after.writes.unavailable;
    expect(failed > 0, `no write of ${after.name} failed, so it did not reach it.`);
  }
  return broken;
}
