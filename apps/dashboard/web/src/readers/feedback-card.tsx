import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { PeriodName } from '../../../server/src/readers/period.ts';
import type { ReaderSentence } from '../../../server/src/readers/reader-report.ts';
import { messageOf, path, request } from '../api.ts';
import { can } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { sentencesQuery } from '../queries/readers.ts';
import { queryClient } from '../query-client.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { dayInUtc } from '../ui/format.ts';
import { ListView, LoadMore } from '../ui/list-view.tsx';
import { toast } from '../ui/toasts.tsx';
import { CountsCard } from './counts-card.tsx';
import { CsvLink } from './csv-link.tsx';
import { PageName } from './page-name.tsx';

/** Answers to "Was this page helpful?", by page. */
export function FeedbackCard({ period }: { readonly period: PeriodName }) {
  return (
    <CountsCard
      table="feedback"
      period={period}
      title="Was this page helpful?"
      noun="Page"
      empty="No answer yet. Each page asks at its end, from the next deploy on; “feedback: false” in docs.yaml switches it off."
      name={(row) => <PageName name={row.name} />}
      details={({ details }) => {
        const of = (name: string) => details.find((one) => one.name === name)?.count ?? 0;
        return `${of('yes').toLocaleString('en')} yes · ${of('no').toLocaleString('en')} no`;
      }}
    />
  );
}

/** What readers wrote, the newest first. It is a stranger's text, and shown as text alone. */
export function SentencesCard() {
  const { slug } = useProject();
  const query = useInfiniteQuery(sentencesQuery(slug));
  const isEmpty = query.data?.length === 0;
  return (
    <Card
      title="In their words"
      description="What readers wrote about a page. It is kept for 180 days; nothing says who wrote it."
      flush
      actions={!isEmpty && <CsvLink slug={slug} table="sentences" what="In their words" />}
    >
      <ListView
        query={query}
        empty={
          <p className="max-w-prose px-4 py-6 text-muted sm:px-5">
            Nobody has written anything yet. Readers can, once they said whether a page was helpful.
          </p>
        }
      >
        {(sentence) => <SentenceRow key={sentence.id} sentence={sentence} />}
      </ListView>
      <LoadMore query={query}>Show older ones</LoadMore>
    </Card>
  );
}

function SentenceRow({ sentence }: { readonly sentence: ReaderSentence }) {
  const project = useProject();
  const { id, day, page, isHelpful, text } = sentence;
  const mutation = useMutation({
    mutationFn: () => request('DELETE', path`/projects/${project.slug}/readers/sentences/${id}`),
    onSuccess: () => {
      toast('Deleted what the reader wrote.');
      void queryClient.invalidateQueries({ queryKey: keys.readers(project.slug) });
    },
    onError: (error) => toast(messageOf(error), 'negative'),
  });
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1 px-4 py-3 sm:px-5">
      <p dir="auto" className="min-w-0 wrap-anywhere">
        {text}
      </p>
      {can(project, 'readers.manage') && (
        <Button
          size="small"
          variant="ghost"
          pending={mutation.isPending}
          aria-label={`Delete “${text.slice(0, 60)}”`}
          onClick={() => mutation.mutate()}
        >
          Delete
        </Button>
      )}
      <p className="col-span-2 flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-muted">
        <Badge tone={isHelpful ? 'positive' : 'warning'}>
          {isHelpful ? 'Helpful' : 'Not helpful'}
        </Badge>
        <span className="min-w-0 wrap-anywhere">
          <PageName name={page} />
        </span>
        <span>{dayInUtc(day)}</span>
      </p>
    </li>
  );
}
