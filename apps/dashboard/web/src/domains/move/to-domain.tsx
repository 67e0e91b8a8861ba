import type { Domain } from '../../../../server/src/domains/domain.ts';
import { BackLink } from '../../ui/back-link.tsx';

interface ToDomainProps {
  readonly slug: string;
  readonly domain: Pick<Domain, 'hostname' | 'unicode'>;
}

/** Back to the domain's page. */
export function ToDomain({ slug, domain }: ToDomainProps) {
  return (
    <BackLink
      to="/projects/$slug/settings/domains/$hostname"
      params={{ slug, hostname: domain.hostname }}
    >
      {domain.unicode}
    </BackLink>
  );
}
