import type { Domain } from '../../../../server/src/domains/domain.ts';
import { Badge } from '../../ui/badge.tsx';

/** What is particular about a domain, beside its state. */
export function NameBadges({
  domain: { primary, version, redirect },
}: {
  readonly domain: Domain;
}) {
  return (
    <>
      {primary && <Badge tone="accent">Primary</Badge>}
      {version !== null && <Badge>{version}</Badge>}
      {redirect && <Badge>Redirects</Badge>}
    </>
  );
}
