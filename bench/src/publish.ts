import { mkdirSync, writeFileSync } from 'node:fs';
import { RESULTS } from './paths.ts';
import { writeReport } from './report.ts';

/** Keeps the results of a whole run, and writes anew what is drawn from them. */
export function publish(
  name: 'latest' | 'growth' | 'quota' | 'guessing' | 'soak' | 'edge' | 'edge-tls',
  results: object,
): void {
  mkdirSync(RESULTS, { recursive: true });
  const path = `${RESULTS}/${name}.json`;
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
  writeReport();
  console.log(`\nWrote bench/results/${name}.json, and docs/performance.md anew.`);
}
