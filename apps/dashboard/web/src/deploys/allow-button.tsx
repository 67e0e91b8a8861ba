import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import type { ChangeException } from '../../../server/src/deploys/exceptions/change-exception.ts';
import { path, request } from '../api.ts';
import { can } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { dayInUtc, todayInUtc } from '../ui/format.ts';
import { toast } from '../ui/toasts.tsx';
import { WithCode } from '../ui/with-code.tsx';
import type { ChangeGroup } from './group-changes.ts';

/** Of more operations, an exception for each is not what anyone means. */
const MAX_LISTED = 20;

/** Operations have a space in their names, and these have none. */
const ALL = 'all';
const LISTED = 'listed';

interface AllowButtonProps {
  readonly group: ChangeGroup;
  readonly deploy: Deploy;
}

/**
 * Lets an owner allow a change that breaks clients, or may, until a day. It shows nothing where that would change nothing:
 * what was live keeps its counts.
 */
export function AllowButton({ group: { change, operations }, deploy }: AllowButtonProps) {
  const project = useProject();
  const { slug } = project;
  const { code, message, verdict } = change;
  const isOpen = verdict === 'breaking' || verdict === 'risky';
  if (!isOpen || deploy.activatedAt !== null || !can(project, 'exception.manage')) return null;

  const run = async ({ operation = ALL, reason = '', until = '' }: Record<string, string>) => {
    const chosen =
      operation === LISTED ? operations : operation === ALL ? [undefined] : [operation];
    for (const one of chosen)
      await request<ChangeException>('POST', path`/projects/${slug}/change-exceptions`, {
        ...{ code, reason: reason.trim(), until },
        ...(one !== undefined && { operation: one }),
      });
    return until;
  };
  const where = operations[0] ?? 'the API';
  return (
    <FormDialog
      trigger={
        <Button size="small" aria-label={`Allow ${code} of ${where}`}>
          Allow …
        </Button>
      }
      title="Allow this change?"
      description={
        <>
          <p className="wrap-anywhere">
            <WithCode>{message}</WithCode>
          </p>
          <p className="mt-2">
            <WithCode>
              {`Changes with the code \`${code}\` count as compatible then: in this deploy, in others that are not live yet, and in later ones.`}
            </WithCode>
          </p>
        </>
      }
      fields={['operation', 'reason', 'until']}
      action="Allow the change"
      run={run}
      onDone={async (until) => {
        await queryClient.invalidateQueries({ queryKey: keys.project(slug) });
        toast(`The change is allowed until ${dayInUtc(until)}.`);
      }}
    >
      {operations.length > 0 && (
        <SelectField name="operation" label="Where" options={optionsOf(operations)} />
      )}
      <TextField
        name="reason"
        label="Reason"
        hint="Why the change is meant. It is in the list of changes and the audit log."
        maxLength={500}
        autoComplete="off"
        required
      />
      <TextField
        name="until"
        label="Until"
        type="date"
        min={todayInUtc()}
        hint="The last day on which it is allowed, in UTC."
        required
      />
    </FormDialog>
  );
}

function optionsOf(operations: readonly string[]) {
  const named = operations.map((name) => ({ value: name, label: name }));
  const all = { value: ALL, label: 'Every operation' };
  const { length } = operations;
  if (length === 1) return [...named, all];
  return length > MAX_LISTED
    ? [all, ...named]
    : [{ value: LISTED, label: `These ${length} operations` }, all, ...named];
}
