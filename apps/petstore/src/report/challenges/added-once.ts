import { type Evidence, findingOf, type Rule } from '../rule.ts';

/** Of challenges alone: the animals of the task are there, each as often as it was to be added. */
export function addedOnce(names: readonly string[], times = 1): Rule {
  const often = times === 1 ? 'once' : `${times} times`;
  return {
    code: 'added_once',
    title: `Each animal of the task is there ${often}.`,
    standard: {
      title: 'RFC 9110, section 9.2.2',
      url: 'https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2',
    },
    advice: 'Add the animals that the task names.',
    judge({ names: found, isOver }) {
      if (!found || !isOver) return findingOf([], []);
      const expected = `Add each ${often}, and send a POST that failed again with its Idempotency-Key.`;
      const piece = (seen: string): Evidence => ({ requests: [], seen, expected });
      const wrong = names.filter((name) => (found.get(name) ?? 0) !== times);
      return findingOf(
        wrong.map((name) => piece(`${name} is ${count(found.get(name) ?? 0)}.`)),
        [piece(`${names.join(', ')}: each is there ${often}.`)],
      );
    },
  };
}

function count(times: number): string {
  return times === 0 ? 'missing' : times === 1 ? 'there once' : `there ${times} times`;
}

/** `Practice 1` to `Practice n`. */
export function practiceNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `Practice ${i + 1}`);
}
