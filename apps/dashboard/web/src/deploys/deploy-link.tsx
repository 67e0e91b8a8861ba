import { Link } from '@tanstack/react-router';
import { TEXT_LINK } from '../ui/text-link.ts';

interface DeployLinkProps {
  /** The project. */
  readonly slug: string;
  readonly deploy: { readonly id: string; readonly number: number };
}

/** `#12` */
export function DeployLink({ slug, deploy: { id, number } }: DeployLinkProps) {
  return (
    <Link to="/projects/$slug/deploys/$id" params={{ slug, id }} className={TEXT_LINK}>
      #{number}
    </Link>
  );
}
