import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Deploy, LogLine } from '../../../server/src/deploys/deploy.ts';
import { path } from '../api.ts';
import { deployLogQuery, isUnderWay, keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';

/** After this many failures in a row, polling is more reliable than a stream. */
const MAX_STREAM_FAILURES = 2;
const POLL_INTERVAL_MS = 1_000;

/**
 * A deploy's log. While the deploy is under way its lines are streamed, and its changes of state go into
 * the deploy's query; where streams do not hold (a proxy that buffers), both are polled.
 */
export function useDeployLog(slug: string, deploy: Deploy) {
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
