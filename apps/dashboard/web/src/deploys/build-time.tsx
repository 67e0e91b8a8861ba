import type { DeploySummary } from '../../../server/src/deploys/deploy.ts';
import { duration } from '../ui/format.ts';

/** How long a finished build took; nothing before. */
export function BuildTime({ deploy }: { readonly deploy: DeploySummary }) {
  const { startedAt, finishedAt } = deploy;
  if (startedAt === null || finishedAt === null) return null;
  return duration(Date.parse(finishedAt) - Date.parse(startedAt));
}
