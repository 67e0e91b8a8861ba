import { useState } from 'react';
import type { Domain } from '../../../server/src/domains/domain.ts';
import { useProject } from '../projects/project-context.tsx';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CheckBox } from '../ui/check-box.tsx';
import { SelectField } from '../ui/field.tsx';
import { Confirm, FormDialog } from '../ui/form-dialog.tsx';
import { durationInWords } from '../ui/format.ts';
import { toast } from '../ui/toasts.tsx';
import { changeDomain } from './domain-cache.ts';

interface HstsCardProps {
  readonly domain: Domain;
  readonly canChange: boolean;
}

/** Strict-Transport-Security (RFC 6797). It is off until someone who knows the commitment turns it on. */
export function HstsCard({ domain, canChange }: HstsCardProps) {
  const { slug } = useProject();
  const { hostname, unicode, state, hsts } = domain;
  const isActive = state === 'active';
  const turnOff = async () => {
    await changeDomain(slug, hostname, { hsts: null });
    toast(`HSTS is off for ${unicode}.`);
  };
  return (
    <Card
      title="HSTS"
      description="Tells browsers never to open this name without HTTPS, even where someone types http://."
      actions={
        canChange &&
        (hsts ? (
          <Confirm
            title="Turn HSTS off?"
            description={`Browsers that were here keep to it for up to ${durationInWords(hsts.maxAgeSeconds)} after their last visit.`}
            action="Turn off"
            run={turnOff}
            trigger={<Button size="small">Turn off</Button>}
          />
        ) : (
          isActive && <TurnOn domain={domain} />
        ))
      }
    >
      <p>
        {hsts ? (
          <>
            <span className="font-medium">On</span> for {durationInWords(hsts.maxAgeSeconds)} after
            each visit, {hsts.includeSubdomains ? 'with all subdomains' : 'for this name alone'}.
          </>
        ) : (
          <>
            <span className="font-medium">Off.</span>{' '}
            <span className="text-muted">
              {isActive
                ? 'Plain HTTP is redirected to HTTPS all the same.'
                : 'It can be turned on once the certificate is there.'}
            </span>
          </>
        )}
      </p>
    </Card>
  );
}

/** Turns HSTS on, after explaining what cannot be undone. */
function TurnOn({ domain: { hostname, unicode } }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const [includeSubdomains, setInclude] = useState(false);
  return (
    <FormDialog
      trigger={<Button size="small">Turn on…</Button>}
      onOpen={() => setInclude(false)}
      title={`Turn HSTS on for ${unicode}?`}
      action="Turn HSTS on"
      danger
      run={({ age = DEFAULT_HSTS_AGE }) =>
        changeDomain(slug, hostname, { hsts: { maxAgeSeconds: Number(age), includeSubdomains } })
      }
      onDone={() => toast(`HSTS is on for ${unicode}.`)}
    >
      <Alert tone="warning">
        <p className="font-medium">This cannot be taken back before its time is over.</p>
        <p className="mt-1">
          Browsers that were here refuse {unicode} without a valid certificate until then: also if
          you move it to a server that has none. Nobody can click the warning away. Begin with a
          short time.
        </p>
      </Alert>
      <SelectField
        name="age"
        label="Browsers remember it for"
        options={HSTS_AGES}
        defaultValue={DEFAULT_HSTS_AGE}
      />
      <CheckBox
        label={`For all subdomains of ${unicode}, too`}
        hint="Also those on other servers: each then needs a certificate of its own."
        checked={includeSubdomains}
        onChange={setInclude}
      />
    </FormDialog>
  );
}

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** How long browsers remember it: short values to try it out, then long ones. */
const HSTS_AGES = [
  { value: String(5 * 60), label: '5 minutes, to try it out' },
  { value: String(7 * DAY), label: 'A week' },
  { value: String(30 * DAY), label: '30 days' },
  { value: String(365 * DAY), label: 'A year' },
] as const;

const DEFAULT_HSTS_AGE = HSTS_AGES[0].value;
