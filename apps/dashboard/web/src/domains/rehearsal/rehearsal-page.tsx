import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Rehearsal } from '../../../../server/src/domains/rehearsal/rehearsal.ts';
import { path, request } from '../../api.ts';
import { can, REASONS } from '../../projects/permissions.ts';
import { ProjectPage, useProject } from '../../projects/project-context.tsx';
import { rehearsalQuery } from '../../queries/domains.ts';
import { keys } from '../../queries/keys.ts';
import { showChanged } from '../../query-client.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { RefreshCw, Rocket } from '../../ui/icons.tsx';
import { DomainQueryView } from '../domain-query-view.tsx';
import { ToDomain } from '../move/to-domain.tsx';
import { ComparisonCard } from './comparison-card.tsx';
import { FactsCard } from './facts-card.tsx';
import { FindingsCard } from './findings-card.tsx';
import { VerdictCard } from './verdict-card.tsx';

/** The rehearsal of a domain's move: one verdict, and what it is made of. */
export function RehearsalPage() {
  const { slug, hostname } = useParams({
    from: '/signed-in/projects/$slug/settings/domains/$hostname/rehearsal',
  });
  const query = useQuery(rehearsalQuery(slug, hostname));
  const start = useStart(slug, hostname);
  return (
    <DomainQueryView query={query} hostname={hostname}>
      {(rehearsal) => (
        <>
          <ToDomain slug={slug} domain={{ hostname, unicode: hostname }} />
          <ProjectPage
            title="Rehearse the move"
            documentTitle={`Rehearsal: ${hostname}`}
            description={
              <span className="break-words">What visitors find once {hostname} leads here.</span>
            }
            actions={
              rehearsal && <StartButton start={start} isPending={rehearsal.finishedAt === null} />
            }
          >
            <div className="grid gap-5">
              {start.problem !== null && <Alert tone="negative">{start.problem}</Alert>}
              {rehearsal === null ? (
                <NotRehearsed start={start} hostname={hostname} />
              ) : (
                <Latest rehearsal={rehearsal} hostname={hostname} />
              )}
            </div>
          </ProjectPage>
        </>
      )}
    </DomainQueryView>
  );
}

interface Start {
  readonly run: () => Promise<void>;
  readonly isPending: boolean;
  /** Why it was refused. */
  readonly problem: string | null;
}

function useStart(slug: string, hostname: string): Start {
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const run = async () => {
    setPending(true);
    try {
      const where = path`/projects/${slug}/domains/${hostname}/rehearsals`;
      const begun = await request<Rehearsal>('POST', where);
      showChanged(keys.rehearsal(slug, hostname), begun);
      setProblem(null);
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setPending(false);
    }
  };
  return { run, isPending, problem };
}

interface StartButtonProps {
  readonly start: Start;
  readonly isPending: boolean;
}

function StartButton({ start, isPending }: StartButtonProps) {
  const isBusy = isPending || start.isPending;
  if (!can(useProject(), 'domain.manage')) return null;
  return (
    <Button pending={isBusy} onClick={start.run}>
      {!isBusy && <RefreshCw />}
      Rehearse again
    </Button>
  );
}

interface NotRehearsedProps {
  readonly start: Start;
  readonly hostname: string;
}

function NotRehearsed({ start, hostname }: NotRehearsedProps) {
  const canManage = can(useProject(), 'domain.manage');
  return (
    <Card>
      <Empty
        icon={Rocket}
        title="Not rehearsed yet"
        action={
          canManage && (
            <Button variant="primary" pending={start.isPending} onClick={start.run}>
              Start the rehearsal
            </Button>
          )
        }
      >
        {canManage
          ? `The site that is at ${hostname} today is compared with this one: at most 500 addresses, two at a time, for a minute. Nothing changes.`
          : REASONS['domain.manage']}
      </Empty>
    </Card>
  );
}

interface LatestProps {
  readonly rehearsal: Rehearsal;
  readonly hostname: string;
}

function Latest({ rehearsal, hostname }: LatestProps) {
  const { result } = rehearsal;
  const level = (wanted: 'missing' | 'advice') =>
    result?.findings.filter((one) => one.level === wanted) ?? [];
  return (
    <>
      <VerdictCard rehearsal={rehearsal} hostname={hostname} />
      <FindingsCard
        title="What is missing"
        description="The most important first."
        findings={level('missing')}
        redirects={result?.comparison?.redirects ?? ''}
      />
      <FindingsCard
        title="Good to know"
        description="Nothing of this keeps you from moving."
        findings={level('advice')}
      />
      {result?.comparison && <ComparisonCard comparison={result.comparison} />}
      {result?.facts && <FactsCard facts={result.facts} />}
    </>
  );
}
