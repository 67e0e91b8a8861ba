import type { Domain } from '../../../server/src/domains/domain.ts';
import { path, request } from '../api.ts';
import { isLoopback } from '../settings/is-loopback.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { CopyField } from '../ui/copy.tsx';
import { toast } from '../ui/toasts.tsx';
import { keepDomain } from './domain-cache.ts';

interface LinkCardProps {
  readonly slug: string;
  readonly domain: Domain;
  readonly link: string;
  readonly canRenew: boolean;
}

/** The link for whoever holds the DNS and has no account here. */
export function LinkCard({ slug, domain, link, canRenew }: LinkCardProps) {
  const { hostname, unicode } = domain;
  const renew = async () => {
    keepDomain(
      slug,
      await request<Domain>('POST', path`/projects/${slug}/domains/${hostname}/link`),
    );
    toast('The link is new; the old one has ended.');
  };
  return (
    <Card
      title="Someone else has the DNS?"
      description={`Send them this link. It shows the records and the state of ${unicode} without signing in, and nothing else of the project.`}
      actions={
        canRenew && (
          <Confirm
            title="Renew the link?"
            description="The old one ends at once: whoever has it sees nothing any more."
            action="Renew the link"
            run={renew}
            trigger={<Button size="small">Renew link</Button>}
          />
        )
      }
    >
      <div className="grid gap-3">
        <CopyField value={link} what="link" />
        {isLoopback(link) && (
          <Alert tone="warning">
            Only this computer can open this link. Set DASHBOARD_PUBLIC_URL to the address that
            others use.
          </Alert>
        )}
      </div>
    </Card>
  );
}
