import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type UIEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Deploy, LogLine } from '../../../server/src/deploys/deploy.ts';
import { path } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { deployLogQuery, isUnderWay } from '../queries/deploys.ts';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { clockTime, count } from '../ui/format.ts';
import { ArrowDown } from '../ui/icons.tsx';
import { Failure } from '../ui/query-view.tsx';
import { Time } from '../ui/time.tsx';

/** How far from the end a reader still counts as being at the end. */
const NEAR_PX = 24;

const LEVELS: Record<LogLine['level'], string> = {
  info: '',
  warning: 'bg-warning-soft text-warning',
  error: 'bg-negative-soft text-negative',
};

/** A deploy's log, which follows its end until the reader scrolls up, and again from the end on. */
export function DeployLog({ deploy }: { readonly deploy: Deploy }) {
  const { lines, isRunning, error, refetch } = useDeployLog(useProject().slug, deploy);
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const last = lines.at(-1)?.seq;

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line moves the end
  useLayoutEffect(() => {
    if (isFollowing && isRunning) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [last, isFollowing, isRunning]);

  const onScroll = ({ currentTarget }: UIEvent<HTMLDivElement>) => {
    const { scrollHeight, scrollTop, clientHeight } = currentTarget;
    setFollowing(scrollHeight - scrollTop - clientHeight < NEAR_PX);
  };
  if (error && lines.length === 0) {
    return (
      <Card title="Log">
        <Failure error={error} onRetry={() => void refetch()} />
      </Card>
    );
  }
  return (
    <Card
      title="Log"
      flush
      actions={
        <span className="flex items-center gap-2 text-[0.8125rem] text-muted">
          {isRunning ? 'Following the build' : count(lines.length, 'line')}
        </span>
      }
    >
      <div className="relative">
        {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
        <div
          ref={box}
          role="log"
          aria-label="Log of the deploy"
          aria-live={isRunning ? 'polite' : 'off'}
          tabIndex={0}
          onScroll={onScroll}
          className="max-h-106 min-h-24 overflow-y-auto bg-canvas py-2 font-mono text-[0.8125rem] leading-6 -outline-offset-2"
        >
          {lines.length === 0 && (
            <p className="px-4 text-muted sm:px-5">
              {isRunning ? 'Waiting for the first line…' : 'This deploy left no log.'}
            </p>
          )}
          {lines.map(({ seq, at, level, message }) => (
            <p key={seq} className={`flex gap-3 px-4 sm:gap-4 sm:px-5 ${LEVELS[level]}`}>
              <Time at={at} className={level === 'info' ? 'shrink-0 text-muted' : 'shrink-0'}>
                {clockTime(at)}
              </Time>
              <span className="min-w-0 whitespace-pre-wrap break-words">
                {level !== 'info' && <span className="sr-only">{level}: </span>}
                {message}
              </span>
            </p>
          ))}
        </div>
        {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: above */}
        {isRunning && !isFollowing && (
          <Button
            size="small"
            className="absolute right-4 bottom-3"
            onClick={() => setFollowing(true)}
          >
            <ArrowDown />
            Follow the end
          </Button>
        )}
      </div>
    </Card>
  );
}

/** After this many failures in a row, polling is more reliable than a stream. */
const MAX_STREAM_FAILURES = 2;
const POLL_INTERVAL_MS = 1_000;

/**
 * A deploy's log. While the deploy is under way its lines are streamed, and its changes of state go into
 * the deploy's query; where streams do not hold (a proxy that buffers), both are polled.
 */
function useDeployLog(slug: string, deploy: Deploy) {
  const { id } = deploy;
  const isRunning = isUnderWay(deploy);
  const [streamed, setStreamed] = useState<readonly LogLine[]>([]);
  const [hasStream, setHasStream] = useState(true);

  useEffect(() => {
    if (!isRunning || !hasStream) return;
    const source = new EventSource(`/api${path`/projects/${slug}/deploys/${id}/log`}`);
    let failures = 0;
    const takeDeploy = ({ data }: MessageEvent<string>) => {
      queryClient.setQueryData(keys.deploy(slug, id), JSON.parse(data) as Deploy);
    };
    source.addEventListener('log', ({ data }: MessageEvent<string>) => {
      failures = 0;
      const line = JSON.parse(data) as LogLine;
      setStreamed((lines) => [...lines, line]);
    });
    source.addEventListener('deploy', takeDeploy);
    source.addEventListener('end', (event) => {
      source.close();
      takeDeploy(event);
      void queryClient.invalidateQueries({ queryKey: keys.project(slug) });
      void queryClient.invalidateQueries({ queryKey: keys.projects });
    });
    source.onerror = () => {
      failures += 1;
      const isOver = source.readyState === EventSource.CLOSED || failures > MAX_STREAM_FAILURES;
      if (!isOver) return;
      source.close();
      setHasStream(false);
    };
    return () => source.close();
  }, [slug, id, isRunning, hasStream]);

  const query = useQuery({
    ...deployLogQuery(slug, id, !isRunning),
    enabled: !isRunning || !hasStream,
    placeholderData: keepPreviousData,
    refetchInterval: isRunning ? POLL_INTERVAL_MS : false,
  });
  const lines = useMemo(
    () => inOrder([...streamed, ...(query.data ?? [])]),
    [streamed, query.data],
  );
  return { lines, isRunning, error: query.error, refetch: query.refetch };
}

/** A resumed stream may send a line twice. */
function inOrder(lines: readonly LogLine[]): LogLine[] {
  const bySeq = new Map(lines.map((line) => [line.seq, line]));
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}
