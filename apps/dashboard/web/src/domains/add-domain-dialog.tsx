import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Domain } from '../../../server/src/domains/domain.ts';
import { path, request } from '../api.ts';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions, DialogClose } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';

interface AddDomainDialogProps {
  readonly slug: string;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}

/** Adds a host name, then leads to its page with the records to create. */
export function AddDomainDialog({ slug, isOpen, setOpen }: AddDomainDialogProps) {
  const navigate = useNavigate();
  const mutation = useMutation({
    mutationFn: ({ hostname = '' }: Record<string, string>) =>
      request<Domain>('POST', path`/projects/${slug}/domains`, { hostname: nameIn(hostname) }),
    onSuccess: async (domain) => {
      const { hostname, unicode } = domain;
      queryClient.setQueryData(keys.domain(slug, hostname), domain);
      setOpen(false);
      toast(`${unicode} is added. Now create its DNS records.`);
      await navigate({
        to: '/projects/$slug/settings/domains/$hostname',
        params: { slug, hostname },
      });
      // Not merely stale: the way back would show the list without this domain, for a moment.
      queryClient.removeQueries({ queryKey: keys.domains(slug), exact: true });
    },
  });
  const change = (open: boolean) => {
    if (open) mutation.reset();
    setOpen(open);
  };
  return (
    <Dialog
      open={isOpen}
      onOpenChange={change}
      title="Add a domain"
      description="You are then told exactly which DNS records it needs."
    >
      <Form
        fields={['hostname']}
        conflictField="hostname"
        error={mutation.error}
        onSubmit={mutation.mutate}
      >
        <TextField
          name="hostname"
          label="Host name"
          placeholder="docs.example.com"
          hint="A name of a domain that you have: a subdomain such as docs.example.com, or example.com itself."
          inputMode="url"
          autoCapitalize="none"
          autoComplete="off"
          maxLength={512}
          required
        />
        <DialogActions>
          <DialogClose render={<Button />}>Cancel</DialogClose>
          <Button type="submit" variant="primary" pending={mutation.isPending}>
            Add domain
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

/** The host of an address that was pasted as browsers show it; the text as it is where that is none. */
function nameIn(text: string): string {
  const typed = text.trim();
  return /^https?:/i.test(typed) && URL.canParse(typed) ? new URL(typed).hostname : typed;
}
