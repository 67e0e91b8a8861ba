import { useState } from 'react';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { count } from '../ui/format.ts';
import { WithCode } from '../ui/with-code.tsx';
import { placeInWords } from './place.ts';

interface OfDeploy {
  readonly deploy: Deploy;
}

/** Why a deploy failed: each problem with its place in the upload. */
export function Problems({ deploy: { errors, sourceName } }: OfDeploy) {
  if (errors.length === 0) return null;
  return (
    <Card
      title={`${count(errors.length, 'problem')} in ${sourceName}`}
      description={`Fix ${errors.length === 1 ? 'it' : 'them'} and deploy again.`}
      tone="negative"
      flush
    >
      <Findings title="Problem" rows={errors} sourceName={sourceName} />
    </Card>
  );
}

/** What is published all the same. Where they are why a strict deploy failed, the problems say the same. */
export function Warnings({ deploy: { warnings, errors, state, sourceName } }: OfDeploy) {
  if (warnings.length === 0 || errors.length > 0) return null;
  return (
    <Card
      title={`${count(warnings.length, 'warning')} in ${sourceName}`}
      description={
        state === 'succeeded'
          ? 'It is published all the same. Readers see what there is.'
          : 'They keep nothing from being published.'
      }
      flush
    >
      <Findings title="Warning" rows={warnings} sourceName={sourceName} />
    </Card>
  );
}

/** What readers would find better. */
export function Hints({ deploy: { hints, sourceName } }: OfDeploy) {
  if (hints.length === 0) return null;
  return (
    <Card title={count(hints.length, 'hint')} description="What readers would find better." flush>
      <Findings title="Hint" rows={hints} sourceName={sourceName} />
    </Card>
  );
}

interface Row {
  readonly message: string;
  readonly path: string;
  readonly line: number | null;
  readonly file?: string;
  readonly rule?: string;
}

/** How many are shown before somebody asks for all. */
const SHOWN = 8;

interface FindingsProps {
  readonly title: string;
  readonly rows: readonly Row[];
  /** The name of the upload: of a place in a document that was sent alone its file goes without saying. */
  readonly sourceName: string;
}

function Findings({ title, rows, sourceName }: FindingsProps) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll || rows.length <= SHOWN + 2 ? rows : rows.slice(0, SHOWN);
  return (
    <>
      <table className="w-full table-fixed text-left max-sm:block">
        <thead className="text-[0.8125rem] text-muted max-sm:sr-only">
          <tr className="border-line border-b">
            <th scope="col" className="px-4 py-2 font-medium sm:pl-5">
              {title}
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
          {shown.map(({ message, path, line, file = '', rule }) => (
            <tr
              key={`${rule} ${file} ${path} ${line} ${message}`}
              className="align-top max-sm:block max-sm:py-2.5"
            >
              <td className="px-4 py-2.5 break-words max-sm:block max-sm:py-0.5 sm:pl-5">
                <WithCode>{message}</WithCode>
                {rule && <span className="block font-mono text-muted text-xs">{rule}</span>}
              </td>
              <td className="px-4 py-2.5 max-sm:block max-sm:py-0.5">
                <Place path={path || file} />
                {path !== '' && file !== '' && file !== sourceName && (
                  <span className="block wrap-anywhere text-muted text-xs">in {file}</span>
                )}
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
      {shown.length < rows.length && (
        <div className="border-line border-t px-4 py-2.5 sm:px-5">
          <Button onClick={() => setShowsAll(true)}>Show all {rows.length}</Button>
        </div>
      )}
    </>
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
