import { Link } from '@tanstack/react-router';
import type { Simulation } from '../../../../server/src/domains/simulation/simulation.ts';
import type { Verdict } from '../../../../server/src/domains/verdict.ts';
import { useProject } from '../../projects/project-context.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { WithCode } from '../../ui/with-code.tsx';
import { VerdictSummary } from '../verdict-view.tsx';

interface ResultCardProps {
  readonly result: Simulation;
  readonly onTry: (verdict: Verdict) => void;
  readonly isPending: boolean;
}

const DNSSEC: Record<Simulation['dnssec'], string> = {
  valid: 'The resolver has validated the answer.',
  broken: 'The answer is not valid.',
  unknown: 'Not signed, or not validated by the resolver.',
};

/** The verdict on a name, with the records that somebody thinks of where there are any. */
export function ResultCard({ result, onTry, isPending }: ResultCardProps) {
  const { unicode, hostname, isDomain, target, verdict, today, consequences, dnssec } = result;
  const { slug } = useProject();
  const isRemedy = verdict.add.length + verdict.remove.length > 0;
  return (
    <Card
      title={today === null ? `${unicode} today` : `${unicode} with these records`}
      actions={
        isDomain ? (
          <Link
            to="/projects/$slug/settings/domains/$hostname"
            params={{ slug, hostname }}
            className="rounded-sm font-medium text-[0.8125rem] underline underline-offset-3"
          >
            Domain of this project
          </Link>
        ) : (
          <Badge tone="neutral">Not added</Badge>
        )
      }
      footer={
        !isDomain && (
          <span className="wrap-anywhere">
            Each domain gets a target of its own when it is added. Here{' '}
            <code className="font-mono text-[0.8125rem]">{target}</code> takes its place.
          </span>
        )
      }
    >
      <div className="grid gap-4">
        <VerdictSummary verdict={verdict} hasSteps={false} />
        {isRemedy && (
          <div>
            <Button size="small" pending={isPending} onClick={() => onTry(verdict)}>
              Try this remedy
            </Button>
          </div>
        )}
        <Facts
          rows={[
            ...(today === null
              ? []
              : [{ term: 'Today', value: <WithCode>{today.message}</WithCode> }]),
            ...(consequences.length === 0
              ? []
              : [{ term: 'Effect', value: <Consequences sentences={consequences} /> }]),
            { term: 'DNSSEC', value: DNSSEC[dnssec] },
          ]}
        />
      </div>
    </Card>
  );
}

function Consequences({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <ul className="grid list-disc gap-1 pl-4 marker:text-muted">
      {sentences.map((sentence) => (
        <li key={sentence} className="wrap-anywhere">
          {sentence}
        </li>
      ))}
    </ul>
  );
}
