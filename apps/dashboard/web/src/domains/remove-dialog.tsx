import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Domain } from '../../../server/src/domains/domain.ts';
import { path, request } from '../api.ts';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions, DialogClose } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';

interface RemoveDialogProps {
  readonly slug: string;
  readonly domain: Domain;
}

/** Removes a domain, after saying what that ends and what it leaves. */
export function RemoveDialog({ slug, domain }: RemoveDialogProps) {
  const { hostname, unicode } = domain;
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const mutation = useMutation({
    mutationFn: () => request('DELETE', path`/projects/${slug}/domains/${hostname}`),
    onSuccess: async () => {
      setOpen(false);
      toast(`${unicode} is removed. Now delete its DNS records.`);
      // Not merely stale: the list would show this domain still, for a moment.
      queryClient.removeQueries({ queryKey: keys.domains(slug), exact: true });
      await navigate({ to: '/projects/$slug/settings/domains', params: { slug }, replace: true });
      queryClient.removeQueries({ queryKey: keys.domain(slug, hostname) });
      void queryClient.invalidateQueries({ queryKey: keys.project(slug), exact: true });
    },
  });
  const change = (open: boolean) => {
    setTyped('');
    mutation.reset();
    setOpen(open);
  };
  return (
    <Dialog
      open={isOpen}
      onOpenChange={change}
      title={`Remove ${unicode}?`}
      description={<Consequences domain={domain} />}
      trigger={<Button variant="danger">Remove the domain</Button>}
    >
      <Form fields={[]} error={mutation.error} onSubmit={() => mutation.mutate()}>
        <TextField
          name="confirm"
          label={`Type ${hostname} to confirm`}
          value={typed}
          onValueChange={setTyped}
          autoComplete="off"
          autoCapitalize="none"
          required
        />
        <DialogActions>
          <DialogClose render={<Button />}>Cancel</DialogClose>
          <Button
            type="submit"
            variant="danger"
            disabled={typed.trim().toLowerCase() !== hostname}
            pending={mutation.isPending}
          >
            Remove it
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

function Consequences({ domain: { primary, state } }: { readonly domain: Domain }) {
  return (
    <ul className="list-disc space-y-1 pl-4">
      {state !== 'unverified' && (
        <>
          <li>It stops showing the site at once, and open connections are closed.</li>
          <li>Its certificate and the key of it are deleted.</li>
        </>
      )}
      {primary && <li>It is the primary domain: other addresses no longer lead to it.</li>}
      <li>
        While its DNS points here, the name stays reserved for this project. Delete its DNS records
        then, so that the name leads nowhere.
      </li>
    </ul>
  );
}
