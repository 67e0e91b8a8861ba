import { useNavigate } from '@tanstack/react-router';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Confirm, ConfirmByTyping } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';
import { SettingsPage } from './settings-layout.tsx';

export function DangerPage() {
  return (
    <SettingsPage title="Danger zone" permission="project.delete">
      <div className="grid gap-5">
        <Card
          tone="negative"
          title="Delete all counts of readers"
          description="Views, searches, answers and all else that is known of what readers did, and what they wrote. Counting goes on, unless it is switched off."
        >
          <ClearReaders />
        </Card>
        <Card
          tone="negative"
          title="Delete this project"
          description="Its site and all previews go offline at once, and its deploys, members, tokens and invitations are gone. This cannot be undone."
        >
          <DeleteButton />
        </Card>
      </div>
    </SettingsPage>
  );
}

function ClearReaders() {
  const { slug } = useProject();
  return (
    <Confirm
      title="Delete all counts of readers?"
      description="Nobody can bring them back."
      action="Delete all counts"
      danger
      run={() => request('DELETE', path`/projects/${slug}/readers`)}
      onDone={() => {
        toast('All counts of readers are deleted.');
        return queryClient.invalidateQueries({ queryKey: keys.readers(slug) });
      }}
      trigger={<Button>Delete the counts</Button>}
    />
  );
}

function DeleteButton() {
  const { slug, name, url } = useProject();
  const navigate = useNavigate();
  const leave = async () => {
    toast(`“${name}” is deleted, and its site is offline.`);
    await queryClient.invalidateQueries({ queryKey: keys.projects });
    await navigate({ to: '/', replace: true });
    queryClient.removeQueries({ queryKey: keys.project(slug) });
  };
  return (
    <ConfirmByTyping
      name={slug}
      title={`Delete “${name}”?`}
      description={
        <>
          <strong className="break-all font-medium text-ink">{hostOf(url)}</strong> goes offline at
          once. Nobody can bring it back.
        </>
      }
      action="Delete permanently"
      run={() => request('DELETE', path`/projects/${slug}`, { confirm: slug })}
      onDone={leave}
      trigger={<Button variant="danger">Delete the project</Button>}
    />
  );
}
