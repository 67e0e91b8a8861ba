import type { ReactNode } from 'react';

export type StepStatus = 'done' | 'running' | 'waiting' | 'failed' | 'ahead';

/** One step, for `Steps`. */
export interface Step {
  readonly name: string;
  readonly status: StepStatus;
  readonly note: ReactNode;
}
