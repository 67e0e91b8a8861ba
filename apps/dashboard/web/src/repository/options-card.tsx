import type { Repository } from '../../../server/src/repositories/repository.ts';
import { messageOf } from '../api.ts';
import { can } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { useChoice } from '../queries/use-choice.ts';
import { queryClient } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { Switch } from '../ui/switch.tsx';
import { toast } from '../ui/toasts.tsx';
import { hostName } from './hosts.ts';
import { inputOf, putRepository } from './repository-requests.ts';
import { Problem } from './state-card.tsx';

/** What is done besides deploying the live branch. A switch takes effect at once. */
export function OptionsCard({ repository }: { readonly repository: Repository }) {
  const previews = useOption(repository, 'previews', 'Previews of branches');
  const statuses = useOption(repository, 'statuses', 'Commit statuses');
  const isOwner = can(useProject(), 'repository.manage');
  const { access, provider, statusProblem } = repository;
  const canTell = access === 'token' && provider !== 'other';
  const error = previews.error ?? statuses.error;
  return (
    <Card title="Options">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {error && <Alert tone="negative">{messageOf(error)}</Alert>}
        <Switch
          label="Previews of branches"
          hint="Each branch other than the live one has a lasting address of its own, which ends with the branch."
          checked={previews.chosen ?? repository.previews}
          disabled={!isOwner}
          onChange={previews.choose}
        />
        <Switch
          label="Commit statuses"
          hint={
            canTell
              ? `${hostName(repository)} shows beside each commit whether it was deployed, and where.`
              : 'Not available: it takes an access token of a host that is known.'
          }
          checked={canTell && (statuses.chosen ?? repository.statuses)}
          disabled={!isOwner || !canTell}
          onChange={statuses.choose}
        />
        {statusProblem && <Problem state={statusProblem} />}
      </div>
    </Card>
  );
}

function useOption(repository: Repository, field: 'previews' | 'statuses', name: string) {
  const { slug } = useProject();
  return useChoice<boolean>(`repository ${slug}`, async (isOn) => {
    // All settings go together, those of the choice before this one, too.
    const newest = queryClient.getQueryData<Repository>(keys.repository(slug)) ?? repository;
    const changed = await putRepository(slug, { ...inputOf(newest), [field]: isOn });
    toast(`${name} are ${changed[field] ? 'on' : 'off'}.`);
  });
}
