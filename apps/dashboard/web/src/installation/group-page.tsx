import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Installation } from '../../../server/src/accounts/account.ts';
import type { Group, GroupMember } from '../../../server/src/groups/group.ts';
import { path, request } from '../api.ts';
import { groupMembersQuery, groupQuery, installationQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { BackLink } from '../ui/back-link.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { EmailField } from '../ui/email-field.tsx';
import { TextField } from '../ui/field.tsx';
import { Confirm, ConfirmedButton, FormDialog } from '../ui/form-dialog.tsx';
import { ListView, LoadMore } from '../ui/list-view.tsx';
import { Page } from '../ui/page.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { SkeletonPage } from '../ui/skeleton.tsx';
import { peopleInWords } from './groups-page.tsx';

/** A group: who is in it, why, and which roles it has. */
export function GroupPage() {
  const { groupId } = useParams({ from: '/signed-in/installation/groups/$groupId' });
  const query = useQuery(groupQuery(groupId));
  return (
    <QueryView query={query} skeleton={<SkeletonPage />}>
      {(group) => <GroupView group={group} />}
    </QueryView>
  );
}

function GroupView({ group }: { readonly group: Group }) {
  const { name, source, members } = group;
  const isLocal = source === 'local';
  return (
    <>
      <BackLink to="/installation/groups">All groups</BackLink>
      <Page
        title={name}
        documentTitle={`${name} · Groups`}
        badges={!isLocal && <Badge tone="accent">Directory</Badge>}
        description={peopleInWords(members)}
        actions={
          <>
            {isLocal && <RenameDialog group={group} />}
            <DeleteButton group={group} />
          </>
        }
      >
        <div className="grid gap-5">
          {!isLocal && (
            <Alert tone="neutral">
              This group comes from your directory. Its name and its people are changed there.
            </Alert>
          )}
          <MembersCard group={group} isLocal={isLocal} />
          <RolesCard group={group} />
        </div>
      </Page>
    </>
  );
}

function MembersCard({ group, isLocal }: { readonly group: Group; readonly isLocal: boolean }) {
  const query = useInfiniteQuery(groupMembersQuery(group.id));
  return (
    <Card title="People" actions={isLocal && <AddDialog group={group} />} flush>
      <ListView
        query={query}
        empty={<p className="px-4 py-4 text-muted sm:px-5">Nobody is in it yet.</p>}
      >
        {(member) => <MemberRow key={member.userId} group={group} member={member} />}
      </ListView>
      <LoadMore query={query}>Show more people</LoadMore>
    </Card>
  );
}

function MemberRow({ group, member }: { readonly group: Group; readonly member: GroupMember }) {
  const { userId, name, email, disabledAt, sources } = member;
  const { data } = useQuery(installationQuery);
  const run = () =>
    deleteAt(
      path`/installation/groups/${group.id}/members/${userId}`,
      keys.group(group.id),
      `${name} is taken out of ${group.name}.`,
    );
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex items-center gap-2">
          <span className="truncate font-medium">{name}</span>
          {disabledAt !== null && <Badge tone="warning">Disabled</Badge>}
        </p>
        <p className="truncate text-[0.8125rem] text-muted">{email}</p>
      </div>
      <div className="flex items-center gap-2">
        <span className="text-[0.8125rem] text-muted">
          {sourcesInWords(sources, data?.providers)}
        </span>
        {sources.includes('local') && (
          <ConfirmedButton
            title={`Take ${name} out of ${group.name}?`}
            description={
              sources.length > 1
                ? `${email} stays in it by ${sourcesInWords(
                    sources.filter((each) => each !== 'local'),
                    data?.providers,
                  )}.`
                : `${email} loses the roles of the group at once.`
            }
            action="Take out"
            run={run}
            label={`Take out ${name}`}
          />
        )}
      </div>
    </li>
  );
}

/** `by hand`, `directory`, `sign-in with Acme`; of a provider that is set no more its id. */
function sourcesInWords(
  sources: readonly string[],
  providers: Installation['providers'] = [],
): string {
  return sources
    .map((source) => {
      if (source === 'local') return 'by hand';
      if (source === 'scim') return 'directory';
      const provider = source.replace(/^oidc:/, '');
      return `sign-in with ${providers.find(({ id }) => id === provider)?.name ?? provider}`;
    })
    .join(', ');
}

function RolesCard({ group }: { readonly group: Group }) {
  const { roles } = group;
  return (
    <Card
      title="Roles in projects"
      description="Owners of a project give a group its role there, on Settings, Members."
      flush
    >
      {roles.length === 0 ? (
        <p className="px-4 py-4 text-muted sm:px-5">None yet.</p>
      ) : (
        <ul className="divide-y divide-line">
          {roles.map(({ project, name, role }) => (
            <li key={project} className="flex justify-between gap-4 px-4 py-3 sm:px-5">
              <Link
                to="/projects/$slug/settings/members"
                params={{ slug: project }}
                className="truncate font-medium hover:underline"
              >
                {name}
              </Link>
              <span className="text-muted capitalize">{role}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function AddDialog({ group }: { readonly group: Group }) {
  return (
    <FormDialog
      trigger={<Button size="small">Add someone</Button>}
      title={`Add someone to ${group.name}`}
      description="Someone who has an account here. They have the roles of the group at once."
      fields={['email']}
      action="Add"
      run={({ email = '' }) =>
        request<GroupMember>('POST', path`/installation/groups/${group.id}/members`, { email })
      }
      onDone={() => queryClient.invalidateQueries({ queryKey: keys.group(group.id) })}
    >
      <EmailField />
    </FormDialog>
  );
}

function RenameDialog({ group }: { readonly group: Group }) {
  return (
    <FormDialog
      trigger={<Button>Rename</Button>}
      title={`Rename ${group.name}`}
      fields={['name']}
      conflictField="name"
      action="Rename"
      run={({ name = '' }) =>
        request<Group>('PATCH', path`/installation/groups/${group.id}`, { name: name.trim() })
      }
      onDone={() => queryClient.invalidateQueries({ queryKey: keys.groups })}
    >
      <TextField
        name="name"
        label="Name"
        defaultValue={group.name}
        required
        maxLength={255}
        autoComplete="off"
      />
    </FormDialog>
  );
}

function DeleteButton({ group }: { readonly group: Group }) {
  const navigate = useNavigate();
  const run = async () => {
    await request('DELETE', path`/installation/groups/${group.id}`);
    await navigate({ to: '/installation/groups' });
    await queryClient.invalidateQueries({ queryKey: keys.groups });
  };
  return (
    <Confirm
      danger
      trigger={<Button variant="danger">Delete</Button>}
      title={`Delete ${group.name}?`}
      description={
        group.source === 'local'
          ? 'Its people lose the roles that they have by it at once. Their accounts stay.'
          : 'Its people lose the roles that they have by it at once. Your directory may make the group again, without roles.'
      }
      action="Delete"
      run={run}
    />
  );
}
