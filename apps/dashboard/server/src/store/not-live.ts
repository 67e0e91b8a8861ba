import type { Addresses } from '../addresses.ts';
import type { LiveSite, NotLive, Site } from '../edge/sites/site-source.ts';
import type { DeployRow } from './deploys.ts';

/** The columns of a deploy that its preview tells. */
export const TOLD = [
  'deploys.id',
  'deploys.number',
  'deploys.branch',
  'deploys.version',
  'deploys.created_at',
] as const;

type ToldDeploy = Pick<DeployRow, 'id' | 'number' | 'branch' | 'version' | 'created_at'>;

interface Where {
  readonly slug: string;
  readonly addresses: Addresses;
  /** What the project's site shows; undefined: nothing. */
  readonly live: Pick<Site, 'origin' | 'artifactHash' | 'versions'> | undefined;
}

/** What the pages of a deploy say that readers of the live site do not find. */
export function notLive(
  { id, number, branch, version, created_at }: ToldDeploy,
  { slug, addresses, live }: Where,
): NotLive {
  // Those of branches never go live.
  const canGoLive = branch === null;
  const page = `${addresses.dashboard}/projects/${slug}/deploys/${id}`;
  return {
    ...{ number, deployedAt: created_at, canGoLive },
    branch: branch ?? undefined,
    version: version ?? undefined,
    dashboard: canGoLive ? `${page}?go-live=true` : page,
    live: live && liveInstead(live, version),
  };
}

/** What readers find instead of a deploy: its version, or else what the site's address leads to. */
function liveInstead(
  { origin, artifactHash, versions }: NonNullable<Where['live']>,
  version: string | null,
): LiveSite {
  const shown = versions?.all.filter((one) => one.artifactHash !== undefined) ?? [];
  const found =
    shown.find(({ name }) => name === version) ??
    shown.find(({ name }) => name === versions?.defaultVersion);
  if (found?.artifactHash === undefined) return { origin, base: undefined, artifactHash };
  // At its own name it has no prefix.
  return {
    origin: found.origin ?? origin,
    base: found.origin === undefined ? `/${found.name}` : undefined,
    artifactHash: found.artifactHash,
  };
}
