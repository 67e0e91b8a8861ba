import type { UsedToken } from '../../../server/src/installation/person.ts';
import { Ago } from '../ui/time.tsx';

/** API tokens that programs use, and where: what stops working with them. */
export function UsedTokens({ tokens }: { readonly tokens: readonly UsedToken[] }) {
  return (
    <ul className="grid gap-2">
      {tokens.map(({ id, name, projects, isForAll, lastUsedAt }) => (
        <li key={id} className="min-w-0 break-words">
          <span className="font-medium text-ink">{name}</span>{' '}
          <span className="text-muted">
            {projects.length > 0 ? `in ${projects.join(', ')}` : 'to read'}
            {isForAll && ', for all projects'}, <Ago at={lastUsedAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
