import type { Domain } from '../../../server/src/domains/domain.ts';
import { path, request } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { toast } from '../ui/toasts.tsx';
import { keepDomain } from './domain-cache.ts';
import { ageInWords } from './hsts-ages.ts';
import { HstsDialog } from './hsts-dialog.tsx';

interface HstsCardProps {
  readonly slug: string;
  readonly domain: Domain;
  readonly canChange: boolean;
}

/** Strict-Transport-Security (RFC 6797): off until someone who knows what it binds them to turns it on. */
export function HstsCard({ slug, domain, canChange }: HstsCardProps) {
  const { hostname, unicode, state, hsts } = domain;
  const isActive = state === 'active';
  const turnOff = async () => {
    keepDomain(
      slug,
      await request<Domain>('PATCH', path`/projects/${slug}/domains/${hostname}`, { hsts: null }),
    );
    toast(`HSTS is off for ${unicode}.`);
  };
  return (
    <Card
      title="HSTS"
      description="Tells browsers never to open this name without HTTPS, even where someone types http://."
      actions={
        canChange &&
        (hsts ? (
          <Confirm
            title="Turn HSTS off?"
            description={`Browsers that were here keep to it for up to ${ageInWords(hsts.maxAgeSeconds)} after their last visit.`}
            action="Turn off"
            run={turnOff}
            trigger={<Button size="small">Turn off</Button>}
          />
        ) : (
          isActive && <HstsDialog slug={slug} domain={domain} />
        ))
      }
    >
      <p>
        {hsts ? (
          <>
            <span className="font-medium">On</span> for {ageInWords(hsts.maxAgeSeconds)} after each
            visit, {hsts.includeSubdomains ? 'with all subdomains' : 'for this name alone'}.
          </>
        ) : (
          <>
            <span className="font-medium">Off.</span>{' '}
            <span className="text-muted">
              {isActive
                ? 'Plain HTTP is redirected to HTTPS all the same.'
                : 'It can be turned on once the certificate is there.'}
            </span>
          </>
        )}
      </p>
    </Card>
  );
}
