import { useNavigate } from '@tanstack/react-router';
import type { Domain } from '../../../server/src/domains/domain.ts';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.ts';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { TextField } from '../ui/field.tsx';
import { FormDialog, type FormDialogProps } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';

/** Adds a host name, then leads to its page with the records to create. */
export function AddDomainDialog(props: Required<Pick<FormDialogProps<Domain>, 'openState'>>) {
  const { slug } = useProject();
  const navigate = useNavigate();
  return (
    <FormDialog
      {...props}
      title="Add a domain"
      description="You are then told exactly which DNS records it needs."
      fields={['hostname']}
      conflictField="hostname"
      action="Add domain"
      run={({ hostname = '' }) =>
        request<Domain>('POST', path`/projects/${slug}/domains`, { hostname: nameIn(hostname) })
      }
      onDone={async (domain) => {
        const { hostname, unicode } = domain;
        queryClient.setQueryData(keys.domain(slug, hostname), domain);
        toast(`${unicode} is added. Now create its DNS records.`);
        await navigate({
          to: '/projects/$slug/settings/domains/$hostname',
          params: { slug, hostname },
        });
        // Removed, not only stale: otherwise the way back would show the list without this domain for a moment.
        queryClient.removeQueries({ queryKey: keys.domains(slug), exact: true });
      }}
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
    </FormDialog>
  );
}

/** The host of a pasted address such as browsers show; any other text as it is. */
function nameIn(text: string): string {
  const typed = text.trim();
  return /^https?:/i.test(typed) && URL.canParse(typed) ? new URL(typed).hostname : typed;
}
