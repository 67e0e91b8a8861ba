import { Badge } from '../ui/badge.tsx';

export function PlanBadge({ plan }: { readonly plan: 'free' | 'pro' | 'enterprise' }) {
  return (
    <Badge tone={plan === 'free' ? 'neutral' : 'accent'}>
      <span className="capitalize">{plan}</span>
    </Badge>
  );
}
