import { evidence, findingOf, type Rule } from '../rule.ts';
import { deprecatedUses } from '../rules/deprecated-operations.ts';

/** Of challenges alone: elsewhere an operation may be used as long as it is there. */
export const onlyWhatStays: Rule = {
  code: 'only_what_stays',
  title: 'No operation is used that goes away.',
  standard: {
    title: 'RFC 9745, section 2',
    url: 'https://www.rfc-editor.org/rfc/rfc9745#section-2',
  },
  advice: 'Send any request.',
  judge({ requests, now }) {
    const known = requests.filter(({ operation }) => operation !== undefined);
    const kept = known
      .slice(0, 1)
      .map((request) =>
        evidence(
          [request],
          'No response said that its operation is deprecated.',
          'Use no such operation.',
        ),
      );
    return findingOf(deprecatedUses({ requests, now }), kept);
  },
};
