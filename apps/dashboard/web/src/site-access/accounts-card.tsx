import { messageOf } from '../api.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { CheckBox } from '../ui/check-box.tsx';
import { Switch } from '../ui/switch.tsx';
import { type AccessCardProps, useAccessChange } from './change-access.ts';

/** Which accounts of the dashboard may read. */
export function AccountsCard({ access, isOwner }: AccessCardProps) {
  const change = useAccessChange(() => 'Who may read is changed.');
  const { everyone, groups, allGroups } = access;
  const isIn = (id: string) => groups.some((group) => group.id === id);
  const listed = isOwner ? allGroups : groups;
  const toggle = (id: string, isOn: boolean) => {
    const others = groups.map((group) => group.id).filter((one) => one !== id);
    change.mutate({ groups: isOn ? [...others, id] : others });
  };
  return (
    <Card
      title="Accounts"
      description="Readers sign in to this dashboard, in whichever way it lets them. Members of the project always may read."
    >
      <div className="grid gap-4">
        {change.error && <Alert tone="negative">{messageOf(change.error)}</Alert>}
        <Switch
          label="Everyone with an account here"
          hint="Whoever can sign in to this dashboard, of this project or not."
          checked={everyone}
          disabled={!isOwner || change.isPending}
          onChange={(isOn) => change.mutate({ everyone: isOn })}
        />
        {!everyone && (
          <fieldset className="grid min-w-0 gap-2">
            <legend className="mb-2 font-medium">Groups</legend>
            {listed.length === 0 ? (
              <p className="text-[0.8125rem] text-muted">
                {isOwner
                  ? 'This dashboard has no groups. Its owner makes them, or they come from the company’s directory.'
                  : 'No group was chosen.'}
              </p>
            ) : (
              listed.map(({ id, name }) => (
                <CheckBox
                  key={id}
                  label={name}
                  checked={isIn(id)}
                  disabled={!isOwner || change.isPending}
                  onChange={(isOn) => toggle(id, isOn)}
                />
              ))
            )}
          </fieldset>
        )}
      </div>
    </Card>
  );
}
