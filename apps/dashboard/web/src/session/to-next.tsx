import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { localPath } from '../local-path.ts';

/** Goes to the page that someone wanted before signing in. */
export function ToNext({ next }: { readonly next: string | undefined }) {
  const { history } = useRouter();
  useEffect(() => history.replace(localPath(next)), [history, next]);
  return null;
}
