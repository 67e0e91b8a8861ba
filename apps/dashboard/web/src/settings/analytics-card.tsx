import { useMutation } from '@tanstack/react-query';
import type { Project } from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { showChanged } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { TextField } from '../ui/field.tsx';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';

/** A script of analytics of the owner's own, and the origins that the pages' policy then allows. */
export function AnalyticsCard() {
  const { slug, analytics } = useProject();
  const save = useMutation({
    mutationFn: (setting: Project['analytics']) =>
      request<Project>('PATCH', path`/projects/${slug}`, { analytics: setting }),
    onSuccess: (changed) => {
      showChanged(keys.project(slug), changed);
      toast(
        changed.analytics ? 'The pages load your script.' : 'The pages load no script of yours.',
      );
    },
  });
  const form = {
    error: save.error,
    isPending: save.isPending,
    mutate: ({ script = '', attributes = '', origins = '' }: FormValues) =>
      save.mutate({
        script: script.trim(),
        attributes: attributesIn(attributes),
        origins: origins.split(/[\s,]+/).filter(Boolean),
      }),
  };
  return (
    <Card
      title="Own analytics"
      description="A script of another service in the head of every page. It runs with all rights of the page and may read what readers type: allow a service that you trust. Whether readers must be asked for consent is then yours to decide."
    >
      <Form
        key={JSON.stringify(analytics)}
        fields={['script', 'attributes', 'origins']}
        mutation={form}
        className="grid max-w-115 gap-4"
      >
        <TextField
          name="script"
          label="Address of the script"
          defaultValue={analytics?.script ?? ''}
          placeholder="https://stats.example.com/script.js"
          required
          maxLength={500}
          autoComplete="off"
        />
        <TextField
          name="attributes"
          label="Attributes"
          hint="As the service names them, with spaces between: data-domain=docs.example.com"
          defaultValue={Object.entries(analytics?.attributes ?? {})
            .map(([name, value]) => `${name}=${/\s/.test(value) ? `"${value}"` : value}`)
            .join(' ')}
          autoComplete="off"
        />
        <TextField
          name="origins"
          label="Allowed origins"
          hint="The pages’ policy allows scripts from these, and requests to these: up to five, https alone."
          defaultValue={analytics?.origins.join(' ') ?? ''}
          placeholder="https://stats.example.com"
          required
          autoComplete="off"
        />
        <div className="flex flex-wrap gap-2">
          <SubmitButton>Save the script</SubmitButton>
          {analytics && (
            <Button variant="ghost" disabled={save.isPending} onClick={() => save.mutate(null)}>
              Remove it
            </Button>
          )}
        </div>
      </Form>
    </Card>
  );
}

/** `data-a=b data-c=d`; a value that has spaces is in quotation marks. */
function attributesIn(text: string): Record<string, string> {
  const pairs = text.matchAll(/([^\s=]+)(?:=(?:"([^"]*)"|(\S*)))?/g);
  return Object.fromEntries(
    [...pairs].map(([, name, quoted, value]) => [name, quoted ?? value ?? '']),
  );
}
