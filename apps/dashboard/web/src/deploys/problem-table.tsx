import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import { Card } from '../ui/card.tsx';
import { count } from '../ui/format.ts';
import { WithCode } from '../ui/with-code.tsx';
import { placeInWords } from './place.ts';

/** Why a deploy failed: each problem with its place in the document. */
export function ProblemTable({ deploy }: { readonly deploy: Deploy }) {
  const { errors } = deploy;
  if (errors.length === 0) return null;
  return (
    <Card
      title={`${count(errors.length, 'problem')} in ${deploy.sourceName}`}
      description={`Fix ${errors.length === 1 ? 'it' : 'them'} and deploy again.`}
      tone="negative"
      flush
    >
      <table className="w-full table-fixed text-left max-sm:block">
        <thead className="text-[0.8125rem] text-muted max-sm:sr-only">
          <tr className="border-line border-b">
            <th scope="col" className="px-4 py-2 font-medium sm:pl-5">
              Problem
            </th>
            <th scope="col" className="w-2/5 px-4 py-2 font-medium">
              Where
            </th>
            <th scope="col" className="w-20 px-4 py-2 text-right font-medium sm:pr-5">
              Line
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line max-sm:block">
          {errors.map(({ message, path, line }) => (
            <tr key={`${path} ${line} ${message}`} className="align-top max-sm:block max-sm:py-2.5">
              <td className="px-4 py-2.5 break-words max-sm:block max-sm:py-0.5 sm:pl-5">
                <WithCode>{message}</WithCode>
              </td>
              <td className="px-4 py-2.5 max-sm:block max-sm:py-0.5">
                <Place path={path} />
              </td>
              <td className="px-4 py-2.5 text-right font-mono text-[0.8125rem] text-muted tabular-nums max-sm:block max-sm:py-0.5 max-sm:text-left sm:pr-5">
                {line === null ? (
                  <span className="max-sm:hidden">–</span>
                ) : (
                  <>
                    <span className="sm:sr-only">line </span>
                    {line}
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function Place({ path }: { readonly path: string }) {
  const { what, within } = placeInWords(path);
  return (
    <span title={path} className="block wrap-anywhere font-mono text-[0.8125rem]">
      {what}
      {within && <span className="block text-muted text-xs">{within}</span>}
    </span>
  );
}
