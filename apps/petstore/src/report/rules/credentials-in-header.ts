import { evidence, findingOf, type Rule } from '../rule.ts';

const EXPECTED =
  'Send the key as Authorization: Bearer and nowhere else. A key that was in one is in logs: make another.';

export const credentialsInHeader: Rule = {
  code: 'credentials_in_header',
  title: 'The key is never part of an address.',
  standard: {
    title: 'RFC 6750, section 5.3',
    url: 'https://www.rfc-editor.org/rfc/rfc6750#section-5.3',
  },
  advice: 'Send any request.',
  judge({ requests }) {
    const broken = requests
      .filter(({ credentialIn }) => credentialIn !== undefined)
      .map((request) => {
        const place =
          request.credentialIn === 'path' ? 'path' : `parameter ${request.credentialIn}`;
        return evidence(
          [request],
          `The ${place} of ${request.method} ${request.target} had a key.`,
          EXPECTED,
        );
      });
    const kept = requests
      .slice(0, 1)
      .map((request) => evidence([request], 'The key was in the header alone.', EXPECTED));
    return findingOf(broken, kept);
  },
};
