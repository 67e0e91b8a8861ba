import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { WELL_KNOWN_AUTHORITIES } from '../../../../server/src/certificates/well-known-authorities.ts';
import type {
  Simulation,
  SimulationRequest,
} from '../../../../server/src/domains/simulation/simulation.ts';
import type { Verdict } from '../../../../server/src/domains/verdict.ts';
import { path, request } from '../../api.ts';
import { can, REASONS } from '../../projects/permissions.ts';
import { ProjectPage, useProject } from '../../projects/project-context.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Card } from '../../ui/card.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { ToList } from '../domain-page.tsx';
import { AuthoritiesCard } from './authorities-card.tsx';
import { ClimbCard } from './climb-card.tsx';
import { ImaginedRecords, type ImaginedRow, isTyped, rowOf } from './imagined-records.tsx';
import { ResultCard } from './result-card.tsx';

/** What the DNS has for a name, who may issue certificates for it, and what records would change. */
export function CheckNamePage() {
  const project = useProject();
  return (
    <>
      <ToList />
      <ProjectPage
        title="Check a name"
        description="What the DNS has for a name, which authorities may issue certificates for it, and what a record would change before you set it. Nothing is stored."
      >
        {can(project, 'domain.verify') ? (
          <CheckName slug={project.slug} />
        ) : (
          <Alert>{REASONS['domain.verify']}</Alert>
        )}
      </ProjectPage>
    </>
  );
}

const ALL = '';
const OTHER = 'other';

const AUTHORITIES = [
  { value: ALL, label: 'All' },
  ...WELL_KNOWN_AUTHORITIES.map(({ name, identities: [identity = ''] }) => ({
    value: identity,
    label: `${name} (${identity})`,
  })),
  { value: OTHER, label: 'Another one…' },
];

function CheckName({ slug }: { readonly slug: string }) {
  const [hostname, setHostname] = useState('');
  const [authority, setAuthority] = useState(ALL);
  const [identity, setIdentity] = useState('');
  const [rows, setRows] = useState<readonly ImaginedRow[]>([]);
  const [removed, setRemoved] = useState<Verdict['remove']>([]);
  const picked = (authority === OTHER ? identity : authority).trim().toLowerCase();
  const mutation = useMutation({
    mutationFn: (body: SimulationRequest) =>
      request<Simulation>('POST', path`/projects/${slug}/dns-simulation`, body),
  });
  const check = (set: readonly ImaginedRow[], remove: Verdict['remove']) =>
    mutation.mutate({
      hostname,
      set: set.filter(isTyped).map(({ type, name, value }) => ({ type, name, value })),
      remove,
      ...(picked !== '' && { authority: picked }),
    });
  const result = mutation.data;

  /** Does in the simulation what a verdict says. */
  const tryRemedy = ({ add, remove }: Verdict) => {
    const gone = (row: ImaginedRow) =>
      remove.some(
        ({ type, name, value }) => type === row.type && name === row.name && value === row.value,
      );
    const set = [...rows.filter((row) => isTyped(row) && !gone(row)), ...add.flatMap(rowOf)];
    const all = [...removed, ...remove];
    setRows(set);
    setRemoved(all);
    check(set, all);
  };

  return (
    <div className="grid gap-5">
      <Card title="Name">
        <Form mutation={{ ...mutation, mutate: () => check(rows, removed) }} fields={['hostname']}>
          <div className="grid gap-5 sm:grid-cols-2">
            <TextField
              name="hostname"
              label="Host name"
              placeholder="docs.example.com"
              value={hostname}
              onValueChange={setHostname}
              inputMode="url"
              autoCapitalize="none"
              autoComplete="off"
              maxLength={512}
              required
            />
            <div className="grid content-start gap-3">
              <SelectField
                name="authority"
                label="Certificate authority"
                options={AUTHORITIES}
                value={authority}
                onValueChange={setAuthority}
              />
              {authority === OTHER && (
                <TextField
                  name="identity"
                  label="Its name in CAA records"
                  placeholder="ca.example"
                  value={identity}
                  onValueChange={setIdentity}
                  autoCapitalize="none"
                  autoComplete="off"
                  maxLength={253}
                  required
                />
              )}
            </div>
          </div>
          <ImaginedRecords
            rows={rows}
            onChange={setRows}
            removed={removed}
            onKeep={() => setRemoved([])}
            hostname={hostname}
          />
          <div>
            <SubmitButton variant="primary">Check</SubmitButton>
          </div>
        </Form>
      </Card>
      {result && (
        <>
          <ResultCard result={result} onTry={tryRemedy} isPending={mutation.isPending} />
          <AuthoritiesCard result={result} picked={picked} />
          <ClimbCard result={result} />
        </>
      )}
    </div>
  );
}
