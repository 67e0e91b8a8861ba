import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project } from '../../../server/src/projects/project.ts';
import { request } from '../api.ts';
import { installationQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { accountQuotasQuery } from '../queries/quotas.ts';
import { queryClient, showChanged } from '../query-client.ts';
import { NearNotice } from '../quotas/near-notice.tsx';
import { standingOf } from '../quotas/quota-words.ts';
import { Main } from '../shell/shell.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { TextField } from '../ui/field.tsx';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { Page } from '../ui/page.tsx';
import { toast } from '../ui/toasts.tsx';
import { siteHost } from './site-address.ts';
import { SlugField, slugFor, slugProblem } from './slug-field.tsx';

export function NewProjectPage() {
  const navigate = useNavigate();
  const { data: installation } = useQuery(installationQuery);
  const { data: uses } = useQuery(accountQuotasQuery);
  const isFull = uses?.some((use) => use.quota === 'projects' && standingOf(use) === 'full');
  const [name, setName] = useState('');
  const [ownSlug, setOwnSlug] = useState<string>();
  const slug = ownSlug ?? slugFor(name);

  const mutation = useMutation({
    mutationFn: (wanted: FormValues) =>
      request<Project>('POST', '/projects', { name: name.trim(), slug: wanted.slug }),
    onSuccess: async (project) => {
      showChanged(keys.project(project.slug), project);
      void queryClient.invalidateQueries({ queryKey: keys.projects });
      void queryClient.invalidateQueries({ queryKey: keys.accountQuotas });
      toast(`“${project.name}” is there. Now deploy its first document.`);
      await navigate({ to: '/projects/$slug', params: { slug: project.slug } });
    },
  });
  const isRefused =
    slugProblem(slug) !== null || (mutation.isError && mutation.variables.slug === slug);
  const hint =
    installation && slug !== '' ? (
      <>
        Your site will be at{' '}
        <strong className="break-all font-medium text-ink">
          {siteHost(installation.siteUrlTemplate, slug)}
        </strong>
      </>
    ) : (
      'Derived from the name; you can change it now and later.'
    );
  return (
    <Main>
      <div className="mx-auto max-w-140">
        <Page
          title="New project"
          description="One project is one documentation site, with its own address."
        >
          <div className="mb-5 empty:hidden">
            <NearNotice uses={uses}>
              {isFull
                ? 'Delete one or hand one over, or ask the owner of this installation for more.'
                : 'Ask the owner of this installation for more before you need it.'}
            </NearNotice>
          </div>
          <Card>
            <Form
              fields={['slug', 'name']}
              conflictField={isFull ? undefined : 'slug'}
              mutation={mutation}
            >
              <TextField
                name="name"
                label="Name"
                value={name}
                onValueChange={setName}
                required
                maxLength={100}
                autoComplete="off"
                autoFocus
                placeholder="Petstore"
              />
              <SlugField value={slug} onChange={setOwnSlug} hint={!isRefused && hint} />
              <div className="flex justify-end gap-2">
                <Link to="/" className={buttonClass()}>
                  Cancel
                </Link>
                <SubmitButton variant="primary">Create project</SubmitButton>
              </div>
            </Form>
          </Card>
        </Page>
      </div>
    </Main>
  );
}
