import { notifyManager, useMutation } from '@tanstack/react-query';
import { useState } from 'react';

interface Choice<Value> {
  readonly value: Value;
}

/**
 * A choice that takes effect at once. `scope`: choices of one scope are saved one after the other. `save`: requests it,
 * and caches the response. `chosen`: what to show in place of what the cache says, from the choice until its response
 * shows.
 */
export function useChoice<Value>(scope: string, save: (value: Value) => Promise<void>) {
  const [newest, setNewest] = useState<Choice<Value>>();
  const mutation = useMutation({
    scope: { id: scope },
    mutationFn: ({ value }: Choice<Value>) => save(value),
    // By the schedule by which pages hear what was cached just before: otherwise they would show the former value for a
    // moment. A newer choice stays.
    onSettled: (_saved, _error, choice) =>
      notifyManager.schedule(() => setNewest((now) => (now === choice ? undefined : now))),
  });
  return {
    chosen: newest?.value,
    error: mutation.error,
    isPending: mutation.isPending,
    choose(value: Value) {
      const choice = { value };
      setNewest(choice);
      mutation.mutate(choice);
    },
  };
}
