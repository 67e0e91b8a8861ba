import type { Domain } from '../../../server/src/domains/domain.ts';
import { path, request } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { toast } from '../ui/toasts.tsx';
import { keepDomain } from './domain-cache.ts';

interface PrimaryButtonProps {
  readonly slug: string;
  readonly domain: Domain;
}

/** Makes a domain the one that all others lead to. Nothing where it is that, or cannot be yet. */
export function PrimaryButton({ slug, domain }: PrimaryButtonProps) {
  const { hostname, unicode, state, primary } = domain;
  if (primary || state === 'unverified') return null;
  const run = async () => {
    keepDomain(
      slug,
      await request<Domain>('POST', path`/projects/${slug}/domains/${hostname}/primary`),
    );
    toast(`${unicode} is the primary domain.`);
  };
  return (
    <Confirm
      title={`Make ${unicode} primary?`}
      description={`The project’s other domains then answer every request with a 301 to ${unicode}, with path and query kept${
        state === 'active' ? '' : ', as soon as it has its certificate'
      }. Browsers and search engines may remember that.`}
      action="Make primary"
      run={run}
      trigger={<Button>Make primary</Button>}
    />
  );
}
