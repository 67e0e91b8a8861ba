import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messageOf } from '../api.ts';
import { Button } from './button.tsx';
import { SkeletonRows } from './skeleton.tsx';

export interface QueryViewProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch' | 'isFetching'>;
  readonly skeleton?: ReactNode;
  readonly children: (data: T) => ReactNode;
}

/**
 * The result of a query. Until it arrives its skeleton is shown, and after a failure the error with a button to retry.
 * An earlier result stays after a failed refresh.
 */
export function QueryView<T>({ query, skeleton = <SkeletonRows />, children }: QueryViewProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) {
    return (
      <Failure error={query.error} pending={query.isFetching} onRetry={() => query.refetch()} />
    );
  }
  return skeleton;
}

interface FailureProps {
  readonly error: unknown;
  readonly pending?: boolean;
  readonly onRetry: () => void;
}

export function Failure({ error, pending = false, onRetry }: FailureProps) {
  return (
    <div role="alert" className="grid justify-items-center gap-3 px-4 py-10 text-center">
      <p className="font-medium">This could not be loaded.</p>
      <p className="max-w-prose text-muted">{messageOf(error)}</p>
      <Button size="small" pending={pending} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}
