import type { Domain } from '../../../server/src/domains/domain.ts';
import { useProject } from '../projects/project-context.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { toast } from '../ui/toasts.tsx';
import { actOnDomain } from './domain-cache.ts';

/** Makes a domain the primary one. It shows nothing where it is the primary one already, or cannot be yet. */
export function PrimaryButton({ domain }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const { hostname, unicode, state, primary } = domain;
  if (primary || state === 'unverified') return null;
  const run = async () => {
    await actOnDomain(slug, hostname, 'primary');
    toast(`${unicode} is the primary domain.`);
  };
  return (
    <Confirm
      title={`Make ${unicode} primary?`}
      description={`The project’s other domains then respond to every request with a 301 to ${unicode}, with path and query kept${
        state === 'active' ? '' : ', as soon as it has its certificate'
      }. Browsers and search engines may remember that.`}
      action="Make primary"
      run={run}
      trigger={<Button>Make primary</Button>}
    />
  );
}
