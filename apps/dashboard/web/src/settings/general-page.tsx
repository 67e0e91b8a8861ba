import { useMutation } from '@tanstack/react-query';
import { Navigate, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project } from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { can } from '../projects/permissions.ts';
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
  // The first section that everyone can read.
  if (!can(project, 'project.update')) {
    const { slug } = project;
    return <Navigate to="/projects/$slug/settings/members" params={{ slug }} replace />;
  }
  return (
    <Page title="General" documentTitle={`Settings · ${project.name}`}>
      <div className="grid gap-5">
        <NameCard key={project.name} project={project} />
        <SlugCard key={project.slug} project={project} />
      </div>
    </Page>
  );
}

interface CardProps {
  readonly project: Project;
}

function NameCard({ project }: CardProps) {
  const { slug } = project;
  const [name, setName] = useState(project.name);
  const mutation = useMutation({
    mutationFn: () => request<Project>('PATCH', path`/projects/${slug}`, { name: name.trim() }),
    onSuccess: (changed) => {
      queryClient.setQueryData(keys.project(slug), changed);
      void queryClient.invalidateQueries({ queryKey: keys.projects });
      toast(`The project is now called “${changed.name}”.`);
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
        />
        <div>
          <Button
            type="submit"
            disabled={name.trim() === project.name}
            pending={mutation.isPending}
          >
            Save the name
          </Button>
        </div>
      </Form>
    </Card>
  );
}

function SlugCard({ project }: CardProps) {
  const navigate = useNavigate();
  const [slug, setSlug] = useState(project.slug);
  const isOther = slug !== project.slug;
  const mutation = useMutation({
    mutationFn: () => request<Project>('PATCH', path`/projects/${project.slug}`, { slug }),
    onSuccess: async (changed) => {
      queryClient.setQueryData(keys.project(changed.slug), changed);
      void queryClient.invalidateQueries({ queryKey: keys.projects });
      toast(`The site is now at ${hostOf(changed.platformUrl)}.`);
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
        <SlugField value={slug} onChange={setSlug} />
        {isOther && (
          <Alert tone="warning">
            <p className="font-medium">This breaks what points to the old address:</p>
            <ul className="mt-1 list-disc pl-4">
              <li>
                {hostOf(project.platformUrl)} and all preview addresses stop answering at once.
              </li>
              <li>Command lines and build servers must use the new address, too.</li>
              <li>Someone else may then take the old one.</li>
            </ul>
          </Alert>
        )}
        <div>
          <Button
            type="submit"
            variant={isOther ? 'danger' : 'secondary'}
            disabled={!isOther}
            pending={mutation.isPending}
          >
            Change the address
          </Button>
        </div>
      </Form>
    </Card>
  );
}
