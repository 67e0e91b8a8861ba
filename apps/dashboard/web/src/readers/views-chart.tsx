import type { ReaderReport } from '../../../server/src/readers/reader-report.ts';
import { count } from '../ui/format.ts';
import { stepName } from './periods.ts';

/** Heights in the drawing; its width is whatever there is. */
const HEIGHT = 160;
const LEAST = 2;

/** Views, a bar for each hour, day or month; and behind it the same as a table, with programs beside people. */
export function ViewsChart({ report }: { readonly report: ReaderReport }) {
  const { steps, unit } = report;
  const top = niceTop(Math.max(1, ...steps.map(({ views }) => views)));
  const width = 100 / steps.length;
  const gap = steps.length > 45 ? 0.15 : 0.22;
  const ticks = [top, top / 2, 0];
  return (
    <div className="grid gap-2">
      <div aria-hidden className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5">
        <div className="flex flex-col justify-between text-right text-[0.75rem] text-muted leading-none tabular-nums">
          {ticks.map((tick) => (
            <span key={tick}>{tick.toLocaleString('en')}</span>
          ))}
        </div>
        <svg
          className="block h-40 w-full overflow-visible"
          viewBox={`0 0 100 ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {ticks.map((tick) => (
            <line
              key={tick}
              x1="0"
              x2="100"
              y1={HEIGHT * (1 - tick / top)}
              y2={HEIGHT * (1 - tick / top)}
              className="stroke-line"
              strokeDasharray={tick === 0 ? undefined : '3 3'}
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {steps.map(({ at, views }, i) => {
            const height = views === 0 ? 0 : Math.max(LEAST, (views / top) * HEIGHT);
            return (
              <g key={at} className="group">
                <title>{`${stepName(at, unit)}: ${count(views, 'view')}`}</title>
                <rect
                  x={i * width}
                  y="0"
                  width={width}
                  height={HEIGHT}
                  className="fill-transparent group-hover:fill-subtle"
                />
                <rect
                  x={(i + gap / 2) * width}
                  y={HEIGHT - height}
                  width={(1 - gap) * width}
                  height={height}
                  className="fill-accent"
                />
              </g>
            );
          })}
        </svg>
        <div className="col-start-2 mt-1.5 flex justify-between text-[0.75rem] text-muted">
          {labelled(steps).map(({ at }) => (
            <span key={at}>{stepName(at, unit)}</span>
          ))}
        </div>
      </div>
      <details className="text-[0.8125rem]">
        <summary className="w-fit cursor-pointer rounded-sm text-muted hover:text-ink">
          Show as a table
        </summary>
        {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
        <section
          aria-label={`Views by ${unit}`}
          tabIndex={0}
          className="mt-2 max-h-72 overflow-auto rounded-md border border-line"
        >
          <table className="w-full text-left tabular-nums">
            <caption className="sr-only">Views and requests of programs, by {unit}</caption>
            <thead className="sticky top-0 bg-subtle text-muted">
              <tr>
                <th scope="col" className="px-3 py-1.5 font-medium">
                  {unit === 'hour' ? 'Hour (UTC)' : unit === 'day' ? 'Day (UTC)' : 'Month'}
                </th>
                <th scope="col" className="px-3 py-1.5 text-right font-medium">
                  Views
                </th>
                <th scope="col" className="px-3 py-1.5 text-right font-medium">
                  Programs
                </th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {steps.map(({ at, views, agents }) => (
                <tr key={at}>
                  <th scope="row" className="px-3 py-1.5 font-normal">
                    {stepName(at, unit)}
                  </th>
                  <td className="px-3 py-1.5 text-right">{views.toLocaleString('en')}</td>
                  <td className="px-3 py-1.5 text-right">{agents.toLocaleString('en')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: above */}
      </details>
    </div>
  );
}

/** The next number that people read easily, which a half has as well. */
function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return [2, 4, 6, 10].map((one) => one * power).find((top) => top >= most) ?? most;
}

/** The first, some between, and the last: as many as a phone has room for. */
function labelled<T>(steps: readonly T[]): T[] {
  if (steps.length <= 4) return [...steps];
  const last = steps.length - 1;
  return [0, 1 / 3, 2 / 3, 1].map((part) => steps[Math.round(part * last)] as T);
}
