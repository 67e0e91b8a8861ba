import type { Domain } from '../../../server/src/domains/domain.ts';
import type { Project } from '../../../server/src/projects/project.ts';
import { useProject } from '../projects/project-context.ts';
import { ExternalButton } from '../ui/external-link.tsx';

/** A link to the site at a domain, where it can be opened. */
export function OpenSite({ domain }: { readonly domain: Domain }) {
  const project = useProject();
  if (domain.state === 'unverified' || domain.movedAwayAt !== null) return null;
  const address = domain.state === 'active' ? domain.url : plainAddress(domain, project);
  if (address === undefined) {
    return <span className="text-muted">Opens once the certificate is there</span>;
  }
  return <ExternalButton href={address}>Open site</ExternalButton>;
}

/** The address of the domain while it has no certificate: HTTP, at the port of the platform's own address. */
function plainAddress({ hostname }: Domain, { platformUrl }: Project): string | undefined {
  const url = new URL(platformUrl);
  // Behind a proxy that speaks HTTPS only, the plain port is unknown.
  if (url.protocol !== 'http:') return undefined;
  url.hostname = hostname;
  return url.origin;
}
