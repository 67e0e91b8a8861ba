import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Member, Project } from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { SELECT } from '../ui/field.tsx';
import { ConfirmedButton, FormDialog } from '../ui/form-dialog.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { rightsInWords, rightsOf } from './role-rights.tsx';
import { ROLE_OPTIONS, type RoleName, WITH_ARTICLE } from './roles.ts';

interface MemberRowProps {
  readonly member: Member;
  /** Whether the reader may change members; everyone can leave. */
  readonly isAllowed: boolean;
  /** The last owner who can sign in cannot leave or get another role: a project needs one. */
  readonly isOnlyOwner: boolean;
}

export function MemberRow({ member, isAllowed, isOnlyOwner }: MemberRowProps) {
  const { name, email, role, ownRole, since, isYou, isDisabled } = member;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 sm:px-5">
      <Avatar email={email} name={name} />
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex items-center gap-2">
          <span className="truncate font-medium">{name}</span>
          {isYou && <Badge>You</Badge>}
          {isDisabled && <Badge tone="warning">Disabled</Badge>}
        </p>
        <p className="truncate text-[0.8125rem] text-muted">
          {email} · since <Ago at={since} />
        </p>
        {member.through.length > 0 && (
          <p className="break-words text-[0.8125rem] text-muted">{throughInWords(member)}</p>
        )}
        {isAllowed && isOnlyOwner && (
          <p className="text-[0.8125rem] text-muted">
            {isYou ? 'You are the only owner' : 'The only owner'}: make another member an owner
            first.
          </p>
        )}
      </div>
      <div className="flex items-center gap-2">
        {isAllowed && ownRole !== null ? (
          <RoleSelect member={member} disabled={isOnlyOwner} />
        ) : (
          <span className="text-muted capitalize">{role}</span>
        )}
        {ownRole !== null &&
          (isYou ? (
            <LeaveButton member={member} disabled={isOnlyOwner} />
          ) : (
            isAllowed && <RemoveButton member={member} disabled={isOnlyOwner} />
          ))}
      </div>
    </li>
  );
}

/** `Editor through Engineering`, and the own role beside it where that is another one. */
function throughInWords({ ownRole, through }: Member): string {
  const ways = through.map(({ name, role }) => `${role} through ${name}`);
  const all = [...(ownRole === null ? [] : [`${ownRole} by a membership of their own`]), ...ways];
  const text = all.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface ActionProps {
  readonly member: Member;
  readonly disabled: boolean;
}

const memberPath = ({ slug }: Project, { userId }: Member) =>
  path`/projects/${slug}/members/${userId}`;

/** A role to choose, with what it changes: asked before, as one click may take rights away from oneself. */
function RoleSelect({ member, disabled }: ActionProps) {
  const project = useProject();
  const { name, isYou } = member;
  const role = member.ownRole ?? member.role;
  const [next, setNext] = useState<RoleName>(role);
  const [isOpen, setOpen] = useState(false);
  const gained = rightsOf(next, role);
  const lost = rightsOf(role, next);
  const who = isYou ? 'You' : 'They';
  return (
    <>
      <select
        aria-label={`Role of ${name}`}
        className={`${SELECT} w-28!`}
        value={role}
        disabled={disabled}
        onChange={(event) => {
          setNext(event.currentTarget.value as RoleName);
          setOpen(true);
        }}
      >
        {ROLE_OPTIONS.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <FormDialog
        openState={[isOpen, setOpen]}
        title={`Make ${isYou ? 'yourself' : name} ${WITH_ARTICLE[next]}?`}
        description={
          <div className="grid gap-2">
            {gained.length > 0 && (
              <p>
                {who} may then, too: {rightsInWords(gained)}.
              </p>
            )}
            {lost.length > 0 && (
              <p>
                {who} may no longer: {rightsInWords(lost)}.
              </p>
            )}
          </div>
        }
        action={`Make ${WITH_ARTICLE[next]}`}
        danger={isYou}
        run={() => request<Member>('PATCH', memberPath(project, member), { role: next })}
        onDone={(changed) => {
          toast(`${changed.name} is now ${WITH_ARTICLE[changed.role]}.`);
          return queryClient.invalidateQueries({ queryKey: keys.project(project.slug) });
        }}
        className="block"
      />
    </>
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
