import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project } from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { hostOf } from '../projects/site-address.ts';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions, DialogClose } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';

interface DeleteDialogProps {
  readonly project: Project;
}

export function DeleteDialog({ project }: DeleteDialogProps) {
  const { slug, name, url } = project;
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const mutation = useMutation({
    mutationFn: () => request('DELETE', path`/projects/${slug}`, { confirm: typed }),
    onSuccess: async () => {
      setOpen(false);
      toast(`“${name}” is deleted, and its site is offline.`);
      await queryClient.invalidateQueries({ queryKey: keys.projects });
      await navigate({ to: '/', replace: true });
      queryClient.removeQueries({ queryKey: keys.project(slug) });
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
      title={`Delete “${name}”?`}
      description={
        <>
          <strong className="break-all font-medium text-ink">{hostOf(url)}</strong> goes offline at
          once. Nobody can bring it back.
        </>
      }
      trigger={<Button variant="danger">Delete the project</Button>}
    >
      <Form fields={['confirm']} error={mutation.error} onSubmit={() => mutation.mutate()}>
        <TextField
          name="confirm"
          label={`Type ${slug} to confirm`}
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
            disabled={typed !== slug}
            pending={mutation.isPending}
          >
            Delete permanently
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
