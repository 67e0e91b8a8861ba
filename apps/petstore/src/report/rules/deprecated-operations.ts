import { evidence, findingOf, type Rule } from '../rule.ts';

const MS_PER_DAY = 86_400_000;

export const deprecatedOperations: Rule = {
  code: 'deprecated_operations',
  title: 'No operation is used that goes away.',
  standard: {
    title: 'RFC 9745, section 2',
    url: 'https://www.rfc-editor.org/rfc/rfc9745#section-2',
  },
  advice: 'Send any request.',
  judge({ requests, now }) {
    const known = requests.filter(({ operation }) => operation !== undefined);
    const deprecated = known.filter(({ sunset }) => sunset !== undefined);
    const broken = [...Map.groupBy(deprecated, ({ operation }) => operation)].map(
      ([name, uses]) => {
        const sunset = uses.at(-1)?.sunset ?? 0;
        const days = Math.max(0, Math.ceil((sunset - now) / MS_PER_DAY));
        const times = uses.length === 1 ? 'once' : `${uses.length} times`;
        return evidence(
          uses.slice(0, 5),
          `The operation ${name} was used ${times}. It goes on ${new Date(sunset).toISOString().slice(0, 10)}, in ${days} days.`,
          'Use the operation that Link with rel="successor-version" names.',
        );
      },
    );
    const kept = known
      .slice(0, 1)
      .map((request) =>
        evidence(
          [request],
          'No response said that its operation is deprecated.',
          'Use no such operation.',
        ),
      );
    return findingOf(broken, kept);
  },
};
