import type { Domain } from '../../../server/src/domains/domain.ts';
import { Card } from '../ui/card.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

interface RemoveCardProps {
  readonly slug: string;
  readonly domain: Domain;
}

export function RemoveCard({ slug, domain }: RemoveCardProps) {
  return (
    <Card
      tone="negative"
      title="Remove this domain"
      description={`${domain.unicode} stops showing the site at once. The project and its other addresses stay as they are.`}
    >
      <RemoveDialog slug={slug} domain={domain} />
    </Card>
  );
}
