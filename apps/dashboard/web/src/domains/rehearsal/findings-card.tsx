import type { Finding } from '../../../../server/src/domains/rehearsal/rehearsal.ts';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dot } from '../../ui/dot.tsx';
import { RecordsTable } from '../records-table.tsx';

interface FindingsCardProps {
  readonly title: string;
  readonly description: string;
  readonly findings: readonly Finding[];
  /** For `docs.yaml`; shown with the pages that are missing. */
  readonly redirects?: string;
}

/** What a rehearsal found, each with what to do. Nothing where there is none. */
export function FindingsCard({ title, description, findings, redirects = '' }: FindingsCardProps) {
  if (findings.length === 0) return null;
  return (
    <Card title={title} description={description} flush>
      <ol className="divide-y divide-line">
        {findings.map((finding) => (
          <li
            key={finding.code}
            className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 px-4 py-4 sm:px-5"
          >
            <span className="flex h-5.5 items-center">
              <Dot tone={finding.level === 'missing' ? 'negative' : 'neutral'} />
            </span>
            <FindingView
              finding={finding}
              redirects={finding.code === 'pages_missing' ? redirects : ''}
            />
          </li>
        ))}
      </ol>
    </Card>
  );
}

interface FindingViewProps {
  readonly finding: Finding;
  readonly redirects: string;
}

function FindingView({ finding, redirects }: FindingViewProps) {
  const { title, message, remedy, details, add } = finding;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h3 className="font-semibold wrap-anywhere">{title}</h3>
      {details.length > 0 && (
        <ul className="grid gap-0.5 rounded-md bg-subtle px-3 py-2 font-mono text-[0.8125rem]">
          {details.map((detail) => (
            <li key={detail} className="wrap-anywhere">
              {detail}
            </li>
          ))}
        </ul>
      )}
      <p className="max-w-prose text-muted wrap-anywhere">{message}</p>
      {remedy !== '' && <p className="max-w-prose wrap-anywhere">{remedy}</p>}
      {add.length > 0 && (
        <div className="overflow-hidden rounded-md border border-line">
          <RecordsTable caption={`Records for: ${title}`} records={add} />
        </div>
      )}
      {redirects !== '' && <CodeBlock code={redirects} what="redirects for docs.yaml" />}
    </div>
  );
}
