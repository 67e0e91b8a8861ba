import { DARK, escapeXml, STYLE } from '../chart.ts';
import { whole } from '../table.ts';
import type { YearResults } from './year-results.ts';

// Sizes are those of the other charts: a phone shows it whole.
const WIDTH = 480;
const MARGIN = 20;
const LEFT = 84;
const RIGHT = WIDTH - MARGIN;
const TOP = 112;
const BARS_HEIGHT = 150;
const ROW_HEIGHT = 22;
const WEEK = 7;

/** The first authority is the one that is asked first. */
const CLASSES = ['service', 'bar', 'constant'] as const;

/** Draws certificates by week and authority, and below when each authority failed. */
export function yearChartSvg(year: YearResults): string {
  const { days, authorities, failures, names, start } = year;
  const weeks = Array.from({ length: Math.ceil(days.length / WEEK) }, (_, week) =>
    authorities.map((_one, place) =>
      days
        .slice(week * WEEK, (week + 1) * WEEK)
        .reduce((sum, issued) => sum + (issued[place] ?? 0), 0),
    ),
  );
  const most = Math.max(...weeks.map((week) => week.reduce((sum, count) => sum + count, 0)));
  const x = (day: number) => LEFT + (day / days.length) * (RIGHT - LEFT);
  const height = TOP + BARS_HEIGHT + 56 + authorities.length * ROW_HEIGHT + 70;
  const bars = weeks.map((week, at) =>
    drawWeek(week, x(at * WEEK), x(Math.min((at + 1) * WEEK, days.length)) - 1.2, most),
  );
  const rowsTop = TOP + BARS_HEIGHT + 50;
  const rows = authorities.map(({ name }, place) => {
    const y = rowsTop + place * ROW_HEIGHT;
    const marks = (failures[place] ?? []).map(
      (day) =>
        `<rect class="failing" x="${round(x(day))}" y="${y}" width="${round(x(1) - x(0) + 0.3)}" height="12"/>`,
    );
    return `  <text x="${MARGIN}" y="${y + 11}">${escapeXml(name)}</text>
  <rect class="track" x="${LEFT}" y="${y}" width="${RIGHT - LEFT}" height="12" rx="2"/>
  ${marks.join('')}`;
  });
  const foot = height - 52;
  const legend = authorities.map(({ name }, place) => {
    const at = MARGIN + place * 84;
    return `  <rect class="${CLASSES[place] ?? 'constant'}" x="${at}" y="84" width="10" height="10" rx="2"/>
  <text class="quiet" x="${at + 15}" y="93">${escapeXml(name)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">
  <title id="title">A year of certificates, with authorities failing</title>
  <desc id="desc">${escapeXml(describe(year))}</desc>
  <style>${STYLE}
    .failing { fill: #cf222e; }
    @media (prefers-color-scheme: dark) {${DARK}
      .failing { fill: #f85149; }
    }
  </style>
  <rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>
  <text class="title" x="${MARGIN}" y="38">A year of certificates</text>
  <text class="quiet" x="${MARGIN}" y="60">${whole(names)} names from ${start}; certificates in a week, by who issued</text>
${legend.join('\n')}
  <text class="quiet value" x="${LEFT - 8}" y="${TOP + 10}" text-anchor="end">${whole(most)}</text>
  <text class="quiet value" x="${LEFT - 8}" y="${TOP + BARS_HEIGHT}" text-anchor="end">0</text>
${bars.join('\n')}
  <text class="panel" x="${MARGIN}" y="${rowsTop - 12}">Days on which an authority failed</text>
${rows.join('\n')}
  <text class="panel" x="${MARGIN}" y="${foot}">Names without a valid certificate, at most: ${whole(year.without)}</text>
  <text class="quiet" x="${MARGIN}" y="${foot + 18}">${escapeXml(`Least time left: ${hours(year.leastLeftHours)}. Limits reached: ${crossed(year)}.`)}</text>
  <text class="quiet" x="${MARGIN}" y="${foot + 35}">${whole(year.issued)} certificates of 1, 6, 10, 45, 64 and 90 days.</text>
</svg>
`;
}

function drawWeek(week: readonly number[], left: number, right: number, most: number): string {
  let bottom = TOP + BARS_HEIGHT;
  return week
    .map((count, place) => {
      const height = (count / most) * BARS_HEIGHT;
      bottom -= height;
      return `  <rect class="${CLASSES[place] ?? 'constant'}" x="${round(left)}" y="${round(bottom)}" width="${round(right - left)}" height="${round(height)}"/>`;
    })
    .join('\n');
}

/** The chart in words, for those who don't see it. */
function describe(year: YearResults): string {
  const by = year.authorities
    .map(({ name, issued }) => `${whole(issued)} by the ${name}`)
    .join(', ');
  return `${whole(year.issued)} certificates for ${whole(year.names)} names: ${by}. At most ${year.without} names had no valid certificate. Limits of authorities were reached ${crossed(year)} times.`;
}

function crossed({ authorities }: YearResults): number {
  return authorities.reduce((sum, one) => sum + one.crossed, 0);
}

function hours(count: number): string {
  return `${Math.round(count * 10) / 10} hours`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
