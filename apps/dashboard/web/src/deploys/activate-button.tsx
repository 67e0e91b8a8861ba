import { useState } from 'react';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import { path, request } from '../api.ts';
import { can } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { keys } from '../queries/keys.ts';
import { queryClient, showChanged } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Confirm, FormDialog } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';

interface ActivateButtonProps {
  readonly deploy: Deploy;
  /** Whether it asks at once: somebody came for that. */
  readonly asks: boolean;
  /** Called when the question is closed. */
  readonly onClose: () => void;
}

/** Puts a deploy live, newer or older. It shows nothing where the deploy cannot go live. */
export function ActivateButton({ deploy, asks, onClose }: ActivateButtonProps) {
  const project = useProject();
  const { slug, url, live } = project;
  const { id, number } = deploy;
  const [reason, setReason] = useState('');
  const [isOpen, setOpen] = useState<boolean>();
  const isOver = deploy.state !== 'succeeded' || deploy.live || deploy.isPruned;
  if (isOver || deploy.branch !== null) return null;

  // Of another version's deploys, the page does not know which one is shown.
  const replaced = deploy.version === null || live?.version === deploy.version ? live : null;
  const isBack = replaced !== null && number < replaced.number;
  const isHeld = waitsForOwner(deploy, project.holdBreaking);
  const mayRun = can(project, isHeld ? 'deploy.confirm' : 'deploy.activate');
  const action = isBack ? 'Roll back to this' : 'Make live';
  const address = deploy.version === null ? hostOf(url) : `${hostOf(url)}/${deploy.version}`;
  const run = async () => {
    const why = reason.trim();
    const query = isHeld && why !== '' ? `?allow-breaking=${encodeURIComponent(why)}` : '';
    const activated = await request<Deploy>(
      'POST',
      `${path`/projects/${slug}/deploys/${id}/activate`}${query}`,
    );
    showChanged(keys.deploy(slug, id), activated);
    await queryClient.invalidateQueries({ queryKey: keys.project(slug) });
    void queryClient.invalidateQueries({ queryKey: keys.projects });
    toast(`Deploy #${number} is live.`);
  };
  const dialog = {
    title: `${action}?`,
    description: (
      <p>
        <strong className="break-all font-medium text-ink">{address}</strong> shows deploy #{number}{' '}
        at once{replaced && <>, instead of #{replaced.number}</>}. You can go back the same way.
      </p>
    ),
    action,
    run,
    openState: [
      (isOpen ?? asks) && mayRun,
      (open: boolean) => {
        setOpen(open);
        if (!open) onClose();
      },
    ] as const,
    trigger: (
      <Button variant="primary" disabled={!mayRun}>
        {action}
      </Button>
    ),
  };
  if (!isHeld) return <Confirm {...dialog} />;
  return (
    <FormDialog
      {...dialog}
      fields={['allow-breaking']}
      onOpen={() => setReason('')}
      disabled={reason.trim() === ''}
    >
      <TextField
        name="allow-breaking"
        label="Reason"
        hint="Why the breaking change is meant. It is in the audit log."
        value={reason}
        onValueChange={setReason}
        maxLength={500}
        autoComplete="off"
        required
      />
    </FormDialog>
  );
}

/** Whether the project has an owner confirm a deploy, as the server decides it. */
function waitsForOwner(
  { held, activatedAt, changes, changesProblem }: Deploy,
  holdBreaking: boolean,
): boolean {
  if (!holdBreaking || activatedAt !== null) return false;
  return held !== null || changesProblem !== null || (changes?.breaking ?? 0) > 0;
}
