import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProjectGroup } from '../../../server/src/groups/group.ts';
import { messageOf, path, request } from '../api.ts';
import { peopleInWords } from '../installation/groups-page.tsx';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { groupChoicesQuery, projectGroupsQuery } from '../queries/projects.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { SELECT, SelectField } from '../ui/field.tsx';
import { ConfirmedButton, FormDialog } from '../ui/form-dialog.tsx';
import { ListView } from '../ui/list-view.tsx';
import { toast } from '../ui/toasts.tsx';
import { RoleField } from './role-field.tsx';
import { ROLE_OPTIONS, type RoleName } from './roles.ts';

/** The groups that have a role in the project. */
export function GroupsCard({ isAllowed }: { readonly isAllowed: boolean }) {
  const { slug } = useProject();
  return (
    <Card
      title="Groups"
      description="Everyone in a group has its role here, for as long as they are in it."
      actions={isAllowed && <GiveRoleDialog />}
      flush
    >
      <ListView
        query={useQuery(projectGroupsQuery(slug))}
        empty={<p className="px-4 py-4 text-muted sm:px-5">No group has a role here.</p>}
      >
        {(group) => <GroupRow key={group.id} group={group} isAllowed={isAllowed} />}
      </ListView>
    </Card>
  );
}

interface GroupRowProps {
  readonly group: ProjectGroup;
  readonly isAllowed: boolean;
}

function GroupRow({ group, isAllowed }: GroupRowProps) {
  const { slug, name: project } = useProject();
  const { id, name, source, members, role } = group;
  const run = () =>
    deleteAt(
      path`/projects/${slug}/groups/${id}`,
      keys.project(slug),
      `${name} has no role here any more.`,
    );
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex items-center gap-2">
          <span className="truncate font-medium">{name}</span>
          {source === 'scim' && <Badge tone="accent">Directory</Badge>}
        </p>
        <p className="text-[0.8125rem] text-muted">{peopleInWords(members)}</p>
      </div>
      {isAllowed ? (
        <div className="flex items-center gap-2">
          <RoleSelect group={group} />
          <ConfirmedButton
            title={`Take the role of ${name} away?`}
            description={`Its people lose access to “${project}” at once, unless they have a role of their own or by another group.`}
            action="Remove"
            run={run}
            label={`Remove ${name}`}
          />
        </div>
      ) : (
        <span className="text-muted capitalize">{role}</span>
      )}
    </li>
  );
}

const giveRole = (slug: string, id: string, role: string) =>
  request<ProjectGroup>('PUT', path`/projects/${slug}/groups/${id}`, { role });

function RoleSelect({ group }: { readonly group: ProjectGroup }) {
  const { slug } = useProject();
  const mutation = useMutation({
    mutationFn: (role: RoleName) => giveRole(slug, group.id, role),
    onSuccess: ({ name, role }) => toast(`${name} is now ${role} here.`),
    onError: (error) => toast(messageOf(error), 'negative'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.project(slug) }),
  });
  return (
    <select
      aria-label={`Role of ${group.name}`}
      className={`${SELECT} w-28!`}
      value={mutation.isPending ? mutation.variables : (group.role ?? 'viewer')}
      disabled={mutation.isPending}
      onChange={(event) => mutation.mutate(event.currentTarget.value as RoleName)}
    >
      {ROLE_OPTIONS.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** Chooses a group and its role, with what each role may do. */
function GiveRoleDialog() {
  const { slug, name } = useProject();
  const [role, setRole] = useState<RoleName>('viewer');
  const choices = useQuery(groupChoicesQuery(slug)).data ?? [];
  const free = choices.filter((choice) => choice.role === null);
  return (
    <FormDialog
      trigger={
        <Button size="small" disabled={free.length === 0}>
          Give a group a role
        </Button>
      }
      title={`Give a group a role in “${name}”`}
      fields={['group', 'role']}
      action="Give the role"
      onOpen={() => setRole('viewer')}
      run={({ group = '' }) => giveRole(slug, group, role)}
      onDone={() => queryClient.invalidateQueries({ queryKey: keys.project(slug) })}
    >
      <SelectField
        name="group"
        label="Group"
        options={free.map((group) => ({
          value: group.id,
          label: `${group.name} (${peopleInWords(group.members)})`,
        }))}
        defaultValue={free[0]?.id ?? ''}
      />
      <RoleField role={role} onChange={setRole} />
    </FormDialog>
  );
}
