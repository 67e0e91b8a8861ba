import type { View } from '../dns/observation.ts';
import { recordsAt } from '../dns/outcome.ts';
import type { RecordChanges } from '../dns/record-changes.ts';
import { duration, lines, listed } from '../dns/words.ts';
import type { Verdict } from '../verdict.ts';
import type { AuthorityPermission } from './simulation.ts';

/** A name as it is, or as it would be. */
interface State {
  readonly verdict: Verdict;
  readonly view: View;
  readonly authorities: readonly AuthorityPermission[];
}

/** What changes to records would bring, in sentences. */
export function consequencesOf(
  hostname: string,
  today: State,
  then: State,
  { set }: RecordChanges,
): string[] {
  return [
    outcome(hostname, today.verdict, then.verdict),
    ...replaced(today.view, then.view, hostname),
    ...(set.some(({ type, name }) => type === 'CNAME' && name === hostname)
      ? hidden(today.view, hostname)
      : []),
    ...issuers(today.authorities, then.authorities),
    ...waits(today.view),
  ];
}

function outcome(hostname: string, today: Verdict, then: Verdict): string {
  const [was, will] = [today, then].map(({ code }) => code === 'verified');
  if (was && will) return `${hostname} still leads here.`;
  if (was) return `${hostname} no longer passes the check, and its certificate is not renewed.`;
  if (will) return `${hostname} leads here, and gets its certificate.`;
  const isSame = today.code === then.code && today.reason === then.reason;
  return isSame
    ? 'What is wrong today stays wrong.'
    : 'The check fails then, too, for another reason.';
}

function replaced(today: View, then: View, hostname: string): string[] {
  const [before, after] = [today, then].map(({ chain }) => chain.hops[0]);
  if (!before || before.value === after?.value) return [];
  return after
    ? [`The CNAME record of ${hostname} to ${before.value} is replaced.`]
    : [`The CNAME record of ${hostname} to ${before.value} is gone.`];
}

/** What a CNAME leaves no place for (RFC 1034, section 3.6.2). */
function hidden({ own }: View, hostname: string): string[] {
  const [mail, texts] = (['MX', 'TXT'] as const).map((type) =>
    recordsAt(own[type], hostname, type),
  );
  return [
    ...(mail && mail.length > 0
      ? [
          `Mail to addresses at ${hostname} no longer arrives: a CNAME leaves no place for ${lines(mail)}.`,
        ]
      : []),
    ...(texts && texts.length > 0
      ? [
          `What other services look for in the TXT records of ${hostname} is no longer found: ${lines(texts)}.`,
        ]
      : []),
  ];
}

function issuers(
  today: readonly AuthorityPermission[],
  then: readonly AuthorityPermission[],
): string[] {
  const changed = then.filter(
    ({ identity, isAllowed }) =>
      today.find((one) => one.identity === identity)?.isAllowed !== isAllowed,
  );
  const [lost, gained] = [false, true].map((allowed) =>
    changed.filter(({ isAllowed }) => isAllowed === allowed).map(({ name }) => name),
  );
  return [
    ...(lost && lost.length > 0 ? [`No longer allowed to issue: ${some(lost)}.`] : []),
    ...(gained && gained.length > 0 ? [`Allowed to issue from then on: ${some(gained)}.`] : []),
  ];
}

const MAX_NAMED = 4;

function some(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return more > 0 ? `${names.slice(0, MAX_NAMED).join(', ')} and ${more} more` : listed(names);
}

function waits({ chain, negativeTtl }: View): string[] {
  const seconds = chain.hops[0]?.ttl ?? negativeTtl;
  if (!seconds) return [];
  return [`Resolvers go on giving what they have now for up to ${duration(seconds)}.`];
}
