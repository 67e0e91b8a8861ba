import type { SimulationRequest } from '../../../../server/src/domains/simulation/simulation.ts';
import type { DnsRecord, Verdict } from '../../../../server/src/domains/verdict.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Plus, X } from '../../ui/icons.tsx';

type Imagined = NonNullable<SimulationRequest['set']>[number];

export interface ImaginedRow extends Imagined {
  readonly key: number;
}

let lastKey = 0;

function newRow(record: Imagined): ImaginedRow {
  lastKey += 1;
  return { ...record, key: lastKey };
}

export function isTyped({ name, value }: ImaginedRow): boolean {
  return name.trim() !== '' && value.trim() !== '';
}

const TYPES = ['CNAME', 'A', 'AAAA', 'ALIAS', 'CAA', 'MX', 'TXT'] as const;

/** A record of a remedy, as one that somebody thinks of. */
export function rowOf({ type, name, value }: DnsRecord): ImaginedRow[] {
  return type === 'NS' ? [] : [newRow({ type, name, value })];
}

/** As many as the server takes. */
const MAX_ROWS = 10;

const EXAMPLES: Readonly<Record<Imagined['type'], string>> = {
  A: '192.0.2.10',
  AAAA: '2001:db8::10',
  ALIAS: 'target.example.net',
  CAA: '0 issue "letsencrypt.org"',
  CNAME: 'target.example.net',
  MX: '10 mail.example.com',
  TXT: 'any text',
};

interface ImaginedRecordsProps {
  readonly rows: readonly ImaginedRow[];
  readonly onChange: (rows: readonly ImaginedRow[]) => void;
  /** Records that are taken as removed. */
  readonly removed: Verdict['remove'];
  readonly onKeep: () => void;
  readonly hostname: string;
}

/** Records that are not there, to see what they would change. */
export function ImaginedRecords({
  rows,
  onChange,
  removed,
  onKeep,
  hostname,
}: ImaginedRecordsProps) {
  const change = (key: number, part: Partial<Imagined>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1.5 font-medium">What if these records were set?</legend>
      {rows.length > 0 && (
        <ul className="grid gap-3">
          {rows.map((row, i) => (
            <li
              key={row.key}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2 border-line max-sm:border-b max-sm:pb-3 sm:grid-cols-[7.5rem_minmax(0,1fr)_minmax(0,1fr)_auto]"
            >
              <SelectField
                name={`type-${i}`}
                label="Type"
                options={TYPES.map((type) => ({ value: type, label: type }))}
                value={row.type}
                onValueChange={(type) => change(row.key, { type: type as Imagined['type'] })}
              />
              <div className="max-sm:order-1 max-sm:col-span-2">
                <TextField
                  name={`name-${i}`}
                  label="Name, as a whole"
                  placeholder="docs.example.com"
                  value={row.name}
                  onValueChange={(name) => change(row.key, { name })}
                  autoCapitalize="none"
                  autoComplete="off"
                  maxLength={512}
                />
              </div>
              <div className="max-sm:order-2 max-sm:col-span-2">
                <TextField
                  name={`value-${i}`}
                  label="Value"
                  placeholder={EXAMPLES[row.type]}
                  value={row.value}
                  onValueChange={(value) => change(row.key, { value })}
                  autoCapitalize="none"
                  autoComplete="off"
                  maxLength={2_048}
                />
              </div>
              <Button
                variant="ghost"
                aria-label={`Leave out record ${i + 1}`}
                onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
              >
                <X />
              </Button>
            </li>
          ))}
        </ul>
      )}
      {removed.length > 0 && (
        <div className="flex flex-wrap items-start justify-between gap-2 rounded-md border border-line bg-subtle/60 px-3 py-2">
          <div className="min-w-0">
            <p className="text-muted">Taken as removed:</p>
            <ul>
              {removed.map(({ type, name, value }) => (
                <li
                  key={`${type} ${name} ${value}`}
                  className="font-mono text-[0.8125rem] wrap-anywhere"
                >
                  {name} {type} {value}
                </li>
              ))}
            </ul>
          </div>
          <Button size="small" onClick={onKeep}>
            Keep them
          </Button>
        </div>
      )}
      <div>
        <Button
          size="small"
          disabled={rows.length >= MAX_ROWS}
          onClick={() =>
            onChange([...rows, newRow({ type: 'CNAME', name: hostname.trim(), value: '' })])
          }
        >
          <Plus />
          Add a record
        </Button>
      </div>
    </fieldset>
  );
}
