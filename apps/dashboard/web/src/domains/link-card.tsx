import type { Domain } from '../../../server/src/domains/domain.ts';
import { useProject } from '../projects/project-context.ts';
import { LoopbackWarning } from '../settings/loopback.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { CopyField } from '../ui/copy.tsx';
import { toast } from '../ui/toasts.tsx';
import { actOnDomain } from './domain-cache.ts';

interface LinkCardProps {
  readonly domain: Domain;
  readonly link: string;
  readonly canRenew: boolean;
}

/** The link for whoever manages the DNS and has no account. */
export function LinkCard({ domain, link, canRenew }: LinkCardProps) {
  const { slug } = useProject();
  const { hostname, unicode } = domain;
  const renew = async () => {
    await actOnDomain(slug, hostname, 'link');
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
        <LoopbackWarning link={link} />
      </div>
    </Card>
  );
}
