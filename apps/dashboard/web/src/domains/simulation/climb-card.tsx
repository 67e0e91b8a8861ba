import type { Simulation } from '../../../../server/src/domains/simulation/simulation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';

type Climb = Simulation['climb'][number];

/** How each server leads to the CAA records that apply: from the name up, until one has some. */
export function ClimbCard({ result: { climb } }: { readonly result: Simulation }) {
  return (
    <Card
      title="The way to the CAA records"
      description="Authorities ask at the name, then above it, until a name has CAA records. At each name they follow its CNAME first."
      flush
    >
      <div className="divide-y divide-line">
        {groups(climb).map(({ servers, steps }) => (
          <div key={servers.join()} className="px-4 py-3.5 sm:px-5">
            <p className="mb-2 text-[0.8125rem] text-muted wrap-anywhere">
              As seen by {servers.join(', ')}
            </p>
            <ol className="grid gap-2">
              {steps.map((step, i) => (
                <Step key={step.name} step={step} isLast={i === steps.length - 1} />
              ))}
            </ol>
          </div>
        ))}
      </div>
    </Card>
  );
}

/** Servers that see the same are one. */
function groups(climb: Simulation['climb']) {
  const all = new Map<string, { servers: string[]; steps: Climb['steps'] }>();
  for (const { server, steps } of climb) {
    const key = JSON.stringify(steps);
    const group = all.get(key) ?? { servers: [], steps };
    if (!group.servers.includes(server)) group.servers.push(server);
    all.set(key, group);
  }
  return [...all.values()];
}

interface StepProps {
  readonly step: Climb['steps'][number];
  readonly isLast: boolean;
}

const LINE = 'font-mono text-[0.8125rem] wrap-anywhere';

function Step({ step: { name, aliases, records, failure }, isLast }: StepProps) {
  const decides = isLast && records.length > 0;
  return (
    <li className="grid gap-1 border-line border-l-2 pl-3">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium wrap-anywhere">{name}</span>
        {decides && <Badge tone="accent">Decides</Badge>}
      </p>
      {aliases.map(({ value }) => (
        <p key={value} className={LINE}>
          CNAME → {value}
        </p>
      ))}
      {records.map(({ name: at, value }) => (
        <p key={value} className={LINE}>
          {at === name ? '' : `${at} `}CAA {value}
        </p>
      ))}
      {records.length === 0 && (
        <p className="text-muted">{failure === null ? 'No CAA record' : `No answer: ${failure}`}</p>
      )}
    </li>
  );
}
