import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project } from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.ts';
import { hostOf } from '../projects/site-address.ts';
import { SlugField } from '../projects/slug-field.tsx';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Page } from '../ui/page.tsx';
import { toast } from '../ui/toasts.tsx';

export function GeneralPage() {
  const project = useProject();
  const isAllowed = can(project, 'project.update');
  return (
    <Page title="General" documentTitle={`Settings · ${project.name}`}>
      <div className="grid gap-5">
        {!isAllowed && <Alert>{REASONS['project.update']}</Alert>}
        <NameCard key={project.name} project={project} disabled={!isAllowed} />
        <SlugCard key={project.slug} project={project} disabled={!isAllowed} />
      </div>
    </Page>
  );
}

interface CardProps {
  readonly project: Project;
  readonly disabled: boolean;
}

function NameCard({ project, disabled }: CardProps) {
  const { slug } = project;
  const [name, setName] = useState(project.name);
  const mutation = useMutation({
    mutationFn: () => request<Project>('PATCH', path`/projects/${slug}`, { name: name.trim() }),
    onSuccess: (changed) => {
      queryClient.setQueryData(keys.project(slug), changed);
      void queryClient.invalidateQueries({ queryKey: keys.projects });
      toast(`The project is called ${changed.name} now.`);
    },
  });
  return (
    <Card title="Name" description="What people call it here, and in its audit log.">
      <Form
        fields={['name']}
        error={mutation.error}
        onSubmit={() => mutation.mutate()}
        className="grid max-w-115 gap-4"
      >
        <TextField
          name="name"
          label="Name of the project"
          value={name}
          onValueChange={setName}
          required
          maxLength={100}
          autoComplete="off"
          disabled={disabled}
        />
        <div>
          <Button
            type="submit"
            disabled={disabled || name.trim() === project.name}
            pending={mutation.isPending}
          >
            Save the name
          </Button>
        </div>
      </Form>
    </Card>
  );
}

function SlugCard({ project, disabled }: CardProps) {
  const navigate = useNavigate();
  const [slug, setSlug] = useState(project.slug);
  const isOther = slug !== project.slug;
  const mutation = useMutation({
    mutationFn: () => request<Project>('PATCH', path`/projects/${project.slug}`, { slug }),
    onSuccess: async (changed) => {
      queryClient.setQueryData(keys.project(changed.slug), changed);
      void queryClient.invalidateQueries({ queryKey: keys.projects });
      toast(`The site is at ${hostOf(changed.url)} now.`);
      await navigate({
        to: '/projects/$slug/settings',
        params: { slug: changed.slug },
        replace: true,
      });
      queryClient.removeQueries({ queryKey: keys.project(project.slug) });
    },
  });
  return (
    <Card title="Address" description="The site’s address, and the project’s name for programs.">
      <Form
        fields={['slug']}
        conflictField="slug"
        error={mutation.error}
        onSubmit={() => mutation.mutate()}
        className="grid max-w-115 gap-4"
      >
        <SlugField value={slug} onChange={setSlug} disabled={disabled} />
        {isOther && (
          <Alert tone="warning">
            <p className="font-medium">This breaks what points to the old address:</p>
            <ul className="mt-1 list-disc pl-4">
              <li>{hostOf(project.url)} and all preview addresses stop answering at once.</li>
              <li>Command lines and build servers must use the new slug.</li>
              <li>Someone else may then take the old one.</li>
            </ul>
          </Alert>
        )}
        <div>
          <Button
            type="submit"
            variant={isOther ? 'danger' : 'secondary'}
            disabled={disabled || !isOther}
            pending={mutation.isPending}
          >
            Change the address
          </Button>
        </div>
      </Form>
    </Card>
  );
}
