import { endOf, type RecordedRequest } from '../recorded-request.ts';
import { evidence, findingOf, type Rule } from '../rule.ts';

/** A client that pauses for longer may well close its connection. */
const LONGEST_PAUSE_MS = 1_000;

/** So many occasions show a habit. */
const OCCASIONS = 5;

const EXPECTED = 'Keep a connection open and send the next request over it.';

export const connectionsReused: Rule = {
  code: 'connections_reused',
  title: 'Connections are used for more than one request.',
  standard: {
    title: 'RFC 9112, section 9.3',
    url: 'https://www.rfc-editor.org/rfc/rfc9112#section-9.3',
  },
  advice: 'Send some requests, each within a second of the last, without a proxy in between.',
  judge({ requests }) {
    if (requests.some(({ viaProxy, isHttp10 }) => viaProxy || isHttp10)) return findingOf([], []);
    const reused: RecordedRequest[] = [];
    const anew: RecordedRequest[] = [];
    requests.forEach((request, i) => {
      const before = requests[i - 1];
      if (before && leavesOpen(before) && isSoonAfter(before, request)) {
        (request.opensConnection ? anew : reused).push(request);
      }
    });
    const occasions = reused.length + anew.length;
    const isBroken = occasions >= OCCASIONS && reused.length === 0;
    const said = `Of ${occasions} requests that came soon after another, ${reused.length} came over a connection that was there.`;
    return findingOf(
      isBroken ? [evidence(anew.slice(0, 5), said, EXPECTED)] : [],
      reused.length >= occasions / 2 && occasions > 0
        ? [evidence(reused.slice(0, 5), said, EXPECTED)]
        : [],
    );
  },
};

/** Whether the service left the connection of a request for another one. */
function leavesOpen({ status, clientLeft, fault, closes, asksToClose }: RecordedRequest): boolean {
  const isClosedByService = closes === true && asksToClose !== true;
  return status !== undefined && !clientLeft && fault === undefined && !isClosedByService;
}

function isSoonAfter(before: RecordedRequest, request: RecordedRequest): boolean {
  const pause = request.at - endOf(before);
  return pause >= 0 && pause < LONGEST_PAUSE_MS;
}
