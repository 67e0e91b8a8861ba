import { duration, evidence, findingOf, nameOf, type Rule } from '../rule.ts';

/** A client that leaves sooner may have had other reasons than its patience. */
const SHORTEST_LIMIT_MS = 500;

export const timeLimits: Rule = {
  code: 'time_limits',
  title: 'The client does not wait for ever.',
  standard: {
    title: 'RFC 9112, section 9.5',
    url: 'https://www.rfc-editor.org/rfc/rfc9112#section-9.5',
  },
  advice: 'Let a response take longer than your time limit: start the challenge hang.',
  judge({ requests: all, longestWaitMs }) {
    const requests = all.filter(({ isStream }) => !isStream);
    const expected = `Give up after a time of your own, before ${duration(longestWaitMs)}.`;
    const broken = requests
      // That a client has left is noticed late on a busy machine: whoever leaves has a limit.
      .filter(({ durationMs, clientLeft }) => durationMs > longestWaitMs && !clientLeft)
      .map((request) => {
        const seen = `${nameOf(request)} took ${duration(request.durationMs)}, and the client waited all the time.`;
        return evidence([request], seen, expected);
      });
    const kept = requests
      .filter(({ clientLeft, durationMs }) => clientLeft && durationMs >= SHORTEST_LIMIT_MS)
      .map((request) => {
        const seen = `The client gave ${nameOf(request)} up after ${duration(request.durationMs)}.`;
        return evidence([request], seen, expected);
      });
    return findingOf(broken, kept);
  },
};
