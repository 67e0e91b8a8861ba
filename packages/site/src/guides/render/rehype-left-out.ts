import type { Root } from 'hast';
import { SKIP, visitElements } from '../../markdown/visit.ts';
import type { GuideSource } from './components/read-guide.ts';

/** HTML that no page has, and what to do instead. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  script: 'pages run no scripts.',
  style: 'write its rules into the file that `theme.css` names.',
  svg: 'save it as a file, and show that as an image.',
  form: 'pages send nothing. What is in it is shown without it.',
  object: 'pages load nothing of this kind.',
  embed: 'pages load nothing of this kind.',
};

/** Tells of HTML that the sanitizer removes. Runs before it. */
export function rehypeLeftOut({ warn }: Pick<GuideSource, 'warn'>) {
  return (tree: Root): void => {
    let line = 1;
    visitElements(tree, (node) => {
      line = node.position?.start.line ?? line;
      const reason = Object.hasOwn(LEFT_OUT, node.tagName) ? LEFT_OUT[node.tagName] : undefined;
      if (reason === undefined) return undefined;
      warn('left-out', `\`<${node.tagName}>\` is left out: ${reason}`, line);
      return SKIP;
    });
  };
}
