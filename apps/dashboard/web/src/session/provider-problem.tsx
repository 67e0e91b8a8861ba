import { useQuery } from '@tanstack/react-query';
import { installationQuery } from '../queries/installation.ts';
import { Alert } from '../ui/alert.tsx';
import { problemSentence } from './problems.ts';

interface ProviderProblemProps {
  /** As the address of the page has them. */
  readonly problem: string | undefined;
  readonly provider: string | undefined;
}

/** Why a provider led back without a sign-in; nothing where it did not. */
export function ProviderProblem({ problem, provider }: ProviderProblemProps) {
  const { data } = useQuery(installationQuery);
  const name = data?.providers.find(({ id }) => id === provider)?.name ?? 'The provider';
  const sentence = problemSentence(problem, name);
  return sentence && <Alert tone="negative">{sentence}</Alert>;
}
