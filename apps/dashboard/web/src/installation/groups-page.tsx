import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Group } from '../../../server/src/groups/group.ts';
import { request } from '../api.ts';
import { groupsQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { count } from '../ui/format.ts';
import { Plus, Users } from '../ui/icons.tsx';
import { ListView, LoadMore } from '../ui/list-view.tsx';
import { Page } from '../ui/page.tsx';
import { ProvisioningCard } from './provisioning-card.tsx';

/** The groups of the installation, and the directories that keep them in step. */
export function GroupsPage() {
  const query = useInfiniteQuery(groupsQuery);
  return (
    <Page
      title="Groups"
      documentTitle="Groups · Installation"
      description="People who have the same role in projects."
      actions={<NewGroupDialog />}
    >
      <div className="grid gap-5">
        <Card flush>
          <ListView
            query={query}
            empty={
              <Empty icon={Users} title="No groups">
                Make one here, or let your company’s directory bring its own.
              </Empty>
            }
          >
            {(group) => <GroupRow key={group.id} group={group} />}
          </ListView>
          <LoadMore query={query}>Show more groups</LoadMore>
        </Card>
        <ProvisioningCard />
      </div>
    </Page>
  );
}

function GroupRow({ group }: { readonly group: Group }) {
  const { id, name, source, members, roles } = group;
  return (
    <li className="relative flex items-center justify-between gap-4 px-4 py-3 hover:bg-subtle sm:px-5">
      <div className="min-w-0">
        <p className="flex items-center gap-2">
          <Link
            to="/installation/groups/$groupId"
            params={{ groupId: id }}
            className="truncate font-medium after:absolute after:inset-0"
          >
            {name}
          </Link>
          {source === 'scim' && <Badge tone="accent">Directory</Badge>}
        </p>
        <p className="truncate text-[0.8125rem] text-muted">{rolesInWords(roles)}</p>
      </div>
      <span className="shrink-0 text-[0.8125rem] text-muted">{peopleInWords(members)}</span>
    </li>
  );
}

/** `1 person`, `12 people` */
export const peopleInWords = (members: number) =>
  members === 1 ? '1 person' : `${members.toLocaleString('en')} people`;

function rolesInWords(roles: Group['roles']): string {
  const [first, second] = roles;
  if (!first) return 'No role in any project yet';
  const named = [first, second].flatMap((each) => (each ? `${each.role} in ${each.name}` : []));
  const more = roles.length - named.length;
  const text = `${named.join(', ')}${more > 0 ? ` and ${count(more, 'more project')}` : ''}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function NewGroupDialog() {
  const navigate = useNavigate();
  return (
    <FormDialog
      trigger={
        <Button variant="primary">
          <Plus />
          New group
        </Button>
      }
      title="New group"
      description="People are put into it by hand, or by a sign-in provider that names a group like this one."
      fields={['name']}
      conflictField="name"
      action="Make the group"
      run={({ name = '' }) => request<Group>('POST', '/installation/groups', { name: name.trim() })}
      onDone={async ({ id }) => {
        await queryClient.invalidateQueries({ queryKey: keys.groups });
        await navigate({ to: '/installation/groups/$groupId', params: { groupId: id } });
      }}
    >
      <TextField
        name="name"
        label="Name"
        required
        maxLength={255}
        autoComplete="off"
        placeholder="Engineering"
      />
    </FormDialog>
  );
}
