import { AUTHORITY_SCENARIOS } from './authority-scenarios.ts';
import { RECORD_SCENARIOS } from './record-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { SERVER_SCENARIOS } from './server-scenarios.ts';

export const SCENARIOS: readonly Scenario[] = [
  ...RECORD_SCENARIOS,
  ...SERVER_SCENARIOS,
  ...AUTHORITY_SCENARIOS,
];

export function findScenario(id: string): Scenario | undefined {
  return SCENARIOS.find((scenario) => scenario.id === id);
}
