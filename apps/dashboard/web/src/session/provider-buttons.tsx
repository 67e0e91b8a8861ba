import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { messageOf } from '../api.ts';
import { installationQuery } from '../queries/installation.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Building } from '../ui/icons.tsx';
import { goToProvider } from './provider.ts';

interface ProviderButtonsProps {
  /** Where to go after signing in. */
  readonly next: string | undefined;
  /** The provider that is begun with at once: of an address that the provider's own pages lead to. */
  readonly first?: string | undefined;
}

/** A button for each provider, and a line between them and the form below. Nothing where there are none. */
export function ProviderButtons({ next, first }: ProviderButtonsProps) {
  const { data } = useQuery(installationQuery);
  const mutation = useMutation({
    mutationFn: (id: string) => goToProvider(id, next),
    meta: { signsIn: true },
  });
  const { mutate } = mutation;
  const hasBegun = useRef(false);
  const isKnown = data?.providers.some(({ id }) => id === first) ?? false;
  useEffect(() => {
    if (first === undefined || !isKnown || hasBegun.current) return;
    hasBegun.current = true;
    mutate(first);
  }, [first, isKnown, mutate]);

  if (!data || data.providers.length === 0) return null;
  return (
    <div className="grid grid-cols-1 gap-3">
      {mutation.error && <Alert tone="negative">{messageOf(mutation.error)}</Alert>}
      {data.providers.map(({ id, name }) => (
        <Button
          key={id}
          className="w-full"
          // Until the provider's page is there.
          pending={(mutation.isPending || mutation.isSuccess) && mutation.variables === id}
          onClick={() => mutate(id)}
        >
          <Building />
          <span className="min-w-0 truncate">Continue with {name}</span>
        </Button>
      ))}
      {data.passwords && (
        <div className="flex items-center gap-3 py-1 text-[0.8125rem] text-muted" aria-hidden>
          <span className="h-px flex-1 bg-line" />
          or
          <span className="h-px flex-1 bg-line" />
        </div>
      )}
    </div>
  );
}
