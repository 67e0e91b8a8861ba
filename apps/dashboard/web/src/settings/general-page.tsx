import { useMutation } from '@tanstack/react-query';
import { Navigate, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project } from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { can } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { SlugField } from '../projects/slug-field.tsx';
import { keys } from '../queries/keys.ts';
import { queryClient, showChanged } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { TextField } from '../ui/field.tsx';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';
import { AnalyticsCard } from './analytics-card.tsx';
import { MovedAddressesCard } from './moved-addresses-card.tsx';
import { SiteCard } from './site-card.tsx';

export function GeneralPage() {
  const project = useProject();
  // The first section that everyone can read.
  if (!can(project, 'project.update')) {
    const { slug } = project;
    return <Navigate to="/projects/$slug/settings/members" params={{ slug }} replace />;
  }
  return (
    <ProjectPage title="General" documentTitle="Settings">
      <div className="grid gap-5">
        <NameCard key={project.name} />
        <SlugCard key={project.slug} />
        <MovedAddressesCard />
        <SiteCard />
        <AnalyticsCard />
      </div>
    </ProjectPage>
  );
}

function NameCard() {
  const project = useProject();
  const { slug } = project;
  const [name, setName] = useState(project.name);
  const mutation = useMutation({
    mutationFn: ({ name: wanted = '' }: FormValues) =>
      request<Project>('PATCH', path`/projects/${slug}`, { name: wanted.trim() }),
    onSuccess: (changed) => {
      showChanged(keys.project(slug), changed);
      void queryClient.invalidateQueries({ queryKey: keys.projects });
      toast(`The project is now called “${changed.name}”.`);
    },
  });
  return (
    <Card title="Name" description="What people call it here, and in its audit log.">
      <Form fields={['name']} mutation={mutation} className="grid max-w-115 gap-4">
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
          <SubmitButton disabled={name.trim() === project.name}>Save the name</SubmitButton>
        </div>
      </Form>
    </Card>
  );
}

function SlugCard() {
  const project = useProject();
  const navigate = useNavigate();
  const [slug, setSlug] = useState(project.slug);
  const isOther = slug !== project.slug;
  const mutation = useMutation({
    mutationFn: ({ slug: wanted }: FormValues) =>
      request<Project>('PATCH', path`/projects/${project.slug}`, { slug: wanted }),
    onSuccess: async (changed) => {
      showChanged(keys.project(changed.slug), changed);
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
        mutation={mutation}
        className="grid max-w-115 gap-4"
      >
        <SlugField value={slug} onChange={setSlug} />
        {isOther && (
          <Alert tone="warning">
            <p className="font-medium">What changes with the address:</p>
            <ul className="mt-1 list-disc pl-4">
              <li>
                {hostOf(project.platformUrl)} and all preview addresses redirect to the new ones for
                90 days.
              </li>
              <li>Command lines and build servers that deploy must use the new name at once.</li>
              <li>After 90 days someone else may take the old address.</li>
            </ul>
          </Alert>
        )}
        <div>
          <SubmitButton variant={isOther ? 'danger' : 'secondary'} disabled={!isOther}>
            Change the address
          </SubmitButton>
        </div>
      </Form>
    </Card>
  );
}
