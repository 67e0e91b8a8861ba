import type {
  AuthorityPermission,
  Simulation,
} from '../../../../server/src/domains/simulation/simulation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { CircleAlert, CircleCheck } from '../../ui/icons.tsx';

interface AuthoritiesCardProps {
  readonly result: Simulation;
  /** The CAA name of the one that is asked about; '': all. */
  readonly picked: string;
}

/** Which authorities the CAA records let issue, and the line that allows those that they do not. */
export function AuthoritiesCard({ result, picked }: AuthoritiesCardProps) {
  const { authorities, decidedAt, unicode } = result;
  // Where no record keeps anyone out, all others stand as those of this dashboard do.
  const areAllFree = decidedAt === null && authorities.every(({ isAllowed }) => isAllowed);
  const shown = authorities.filter(({ identity, isConfigured }) =>
    picked === '' ? !areAllFree || isConfigured : identity === picked,
  );
  return (
    <Card
      title="Who may issue certificates"
      description={
        decidedAt === null
          ? `There is no CAA record at ${unicode} or above it, so every authority may.`
          : `The CAA records of ${decidedAt} decide.`
      }
      flush
    >
      <ul className="divide-y divide-line">
        {shown.map((authority) => (
          <Authority
            key={`${authority.name} ${authority.identity}`}
            authority={authority}
            isExplained={authority.isConfigured || picked !== ''}
          />
        ))}
      </ul>
    </Card>
  );
}

interface AuthorityProps {
  readonly authority: AuthorityPermission;
  /** Why it may not issue. Most of them are refused for the same reason, which the first tells. */
  readonly isExplained: boolean;
}

function Authority({ authority, isExplained }: AuthorityProps) {
  const { name, identity, isConfigured, isAllowed, explanation, wildcard, record } = authority;
  return (
    <li className="grid gap-x-6 gap-y-2 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_auto] sm:px-5">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium wrap-anywhere">{name}</span>
          <code className="font-mono text-[0.8125rem] text-muted wrap-anywhere">{identity}</code>
          {isConfigured && <Badge tone="accent">Used here</Badge>}
        </p>
        {!isAllowed && isExplained && (
          <p className="mt-0.5 text-muted wrap-anywhere">{explanation}</p>
        )}
        {isAllowed && !wildcard.isAllowed && (
          <p className="mt-0.5 text-muted wrap-anywhere">
            Not for a wildcard (<code className="font-mono text-[0.8125rem]">issuewild</code>).
          </p>
        )}
        {!isAllowed && record && (
          <div className="mt-1.5 flex items-center justify-between gap-2 rounded-md border border-line py-0.5 pr-1 pl-3">
            <code className="min-w-0 select-all py-1.5 font-mono text-[0.8125rem] leading-5 wrap-anywhere">
              {record.name} CAA {record.value}
            </code>
            <CopyButton value={record.value} what={`CAA record for ${name}`} />
          </div>
        )}
      </div>
      <div className="flex flex-wrap gap-x-4 gap-y-1 text-[0.8125rem] sm:grid sm:w-28 sm:content-start">
        <Mark isAllowed={isAllowed} label="This name" />
        <Mark isAllowed={wildcard.isAllowed} label="Wildcard" />
      </div>
    </li>
  );
}

interface MarkProps {
  readonly isAllowed: boolean;
  readonly label: string;
}

function Mark({ isAllowed, label }: MarkProps) {
  const Icon = isAllowed ? CircleCheck : CircleAlert;
  return (
    <span
      className={`inline-flex items-center gap-1.5 ${isAllowed ? 'text-positive' : 'text-negative'}`}
    >
      <Icon className="size-4 shrink-0" />
      {label} <span className="sr-only">{isAllowed ? 'allowed' : 'not allowed'}</span>
    </span>
  );
}
