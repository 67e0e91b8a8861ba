import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Member, Project } from '../../../server/src/projects/project.ts';
import { messageOf, path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { Badge } from '../ui/badge.tsx';
import { SELECT } from '../ui/field.tsx';
import { ConfirmedButton } from '../ui/form-dialog.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { ROLE_OPTIONS, type RoleName, WITH_ARTICLE } from './roles.ts';

interface MemberRowProps {
  readonly member: Member;
  /** Whether the reader may change members; everyone can leave. */
  readonly isAllowed: boolean;
  /** The last owner cannot leave or get another role: a project needs an owner. */
  readonly isOnlyOwner: boolean;
}

export function MemberRow({ member, isAllowed, isOnlyOwner }: MemberRowProps) {
  const { name, email, role, since, isYou } = member;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex items-center gap-2">
          <span className="truncate font-medium">{name}</span>
          {isYou && <Badge>You</Badge>}
        </p>
        <p className="truncate text-[0.8125rem] text-muted">
          {email} · since <Ago at={since} />
        </p>
        {isAllowed && isOnlyOwner && (
          <p className="text-[0.8125rem] text-muted">
            {isYou ? 'You are the only owner' : 'The only owner'}: a project needs one.
          </p>
        )}
      </div>
      <div className="flex items-center gap-2">
        {isAllowed ? (
          <RoleSelect member={member} disabled={isOnlyOwner} />
        ) : (
          <span className="text-muted capitalize">{role}</span>
        )}
        {isYou ? (
          <LeaveButton member={member} disabled={isOnlyOwner} />
        ) : (
          isAllowed && <RemoveButton member={member} disabled={isOnlyOwner} />
        )}
      </div>
    </li>
  );
}

interface ActionProps {
  readonly member: Member;
  readonly disabled: boolean;
}

const memberPath = ({ slug }: Project, { userId }: Member) =>
  path`/projects/${slug}/members/${userId}`;

function RoleSelect({ member, disabled }: ActionProps) {
  const project = useProject();
  const mutation = useMutation({
    mutationFn: (role: RoleName) => request<Member>('PATCH', memberPath(project, member), { role }),
    onSuccess: (changed) => toast(`${changed.name} is now ${WITH_ARTICLE[changed.role]}.`),
    onError: (error) => toast(messageOf(error), 'negative'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.project(project.slug) }),
  });
  return (
    <select
      aria-label={`Role of ${member.name}`}
      className={`${SELECT} w-28!`}
      value={mutation.isPending ? mutation.variables : member.role}
      disabled={disabled || mutation.isPending}
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

function RemoveButton({ member, disabled }: ActionProps) {
  const project = useProject();
  const run = () =>
    deleteAt(
      memberPath(project, member),
      keys.members(project.slug),
      `${member.name} is no longer a member.`,
    );
  return (
    <ConfirmedButton
      title={`Remove ${member.name}?`}
      description={`${member.email} loses access to “${project.name}” at once. Their open invitations to it and their tokens for it end; webhooks they added stay.`}
      action="Remove"
      run={run}
      disabled={disabled}
      label={`Remove ${member.name}`}
    />
  );
}

function LeaveButton({ member, disabled }: ActionProps) {
  const project = useProject();
  const navigate = useNavigate();
  const run = async () => {
    await request('DELETE', memberPath(project, member));
    toast(`You have left “${project.name}”.`);
    await queryClient.invalidateQueries({ queryKey: keys.projects });
    await navigate({ to: '/' });
    queryClient.removeQueries({ queryKey: keys.project(project.slug) });
  };
  return (
    <ConfirmedButton
      title={`Leave “${project.name}”?`}
      description="You lose access at once; your open invitations to it and your tokens for it end. Only an owner can invite you again."
      action="Leave"
      run={run}
      disabled={disabled}
    />
  );
}
