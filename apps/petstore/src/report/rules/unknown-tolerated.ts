import {
  byCursor,
  faultKinds,
  isReadable,
  parameterOf,
  type RecordedRequest,
} from '../recorded-request.ts';
import { type Evidence, evidence, findingOf, nameOf, type Rule } from '../rule.ts';

const EXPECTED =
  'Ignore members that you do not know, and keep a place for further values of a status.';

export const unknownTolerated: Rule = {
  code: 'unknown_tolerated',
  title: 'Unknown members and values do not stop the client.',
  standard: {
    title: 'RFC 7493, section 4.2',
    url: 'https://www.rfc-editor.org/rfc/rfc7493#section-4.2',
  },
  advice:
    'List animals over several pages with unknown members in them: start the challenge new-words.',
  judge(recording) {
    const pages = byCursor(recording.requests);
    const broken: Evidence[] = [];
    const kept: Evidence[] = [];
    for (const drifted of recording.requests) {
      if (!faultKinds(drifted).includes('drift') || !isReadable(drifted)) continue;
      // Only a page with a next one shows whether the client could read it.
      if (drifted.next === undefined) continue;
      const follower = followerOf(drifted, pages);
      const what = `The response to ${nameOf(drifted)} had members or values that the document does not have`;
      if (follower)
        kept.push(evidence([drifted, follower], `${what}, and the client read on.`, EXPECTED));
      else if (recording.isOver) {
        broken.push(
          evidence(
            [drifted],
            `${what}, and the client did not read on to the next page.`,
            EXPECTED,
          ),
        );
      }
    }
    return findingOf(broken, kept);
  },
};

/** A request for the next page, later than a page: the last one, since it is there if any is. */
function followerOf(
  drifted: RecordedRequest,
  pages: ReadonlyMap<string, readonly RecordedRequest[]>,
): RecordedRequest | undefined {
  const last = pages.get(parameterOf(drifted.next ?? '', 'cursor') ?? '')?.at(-1);
  return last && last.at > drifted.at ? last : undefined;
}
