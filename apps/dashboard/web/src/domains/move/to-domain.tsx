import { Link } from '@tanstack/react-router';
import type { Domain } from '../../../../server/src/domains/domain.ts';
import { ChevronLeft } from '../../ui/icons.tsx';

/** Back to the domain's page. */
export function ToDomain({ slug, domain }: { readonly slug: string; readonly domain: Domain }) {
  return (
    <Link
      to="/projects/$slug/settings/domains/$hostname"
      params={{ slug, hostname: domain.hostname }}
      className="-ml-1 mb-2 inline-flex items-center gap-0.5 rounded-sm text-[0.8125rem] text-muted hover:text-ink"
    >
      <ChevronLeft className="size-4" />
      {domain.unicode}
    </Link>
  );
}
