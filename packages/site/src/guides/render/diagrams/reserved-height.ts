/** A link of a flowchart, as Mermaid has read it. */
export interface Link {
  readonly start: string;
  readonly end: string;
}

/** A diagram that can be drawn. */
export interface KnownDiagram {
  readonly kind: string;
  /** Of a flowchart. */
  readonly graph?: { readonly links: readonly Link[]; readonly isAcross: boolean };
}

/**
 * About as high as a diagram will be drawn, in pixels. The drawing has this room from the start, so that nothing moves
 * when it comes while readers see its place. In a wrong guess a drawing has more room than it needs, or scrolls.
 */
export function reservedHeight({ kind, graph }: KnownDiagram, code: string): number {
  const lines = code.split('\n').filter((line) => line.trim() !== '' && !/^\s*%%/.test(line));
  const height = graph ? graphHeight(graph) : (HEIGHTS[kind] ?? byLines(120, 20))(lines);
  return Math.round(Math.min(Math.max(height, LEAST), MOST));
}

const LEAST = 160;
const MOST = 900;

/** Of the text's column, in pixels. What is wider is drawn smaller, but not by more than readers can bear. */
const COLUMN = 640;
const SMALLEST = 0.6;

const scaled = (height: number, width: number) =>
  height * Math.min(1, Math.max(SMALLEST, COLUMN / width));

type Height = (lines: readonly string[]) => number;

const byLines =
  (first: number, each: number): Height =>
  (lines) =>
    first + each * (lines.length - 1);

/** Measured on examples of all kinds. */
const HEIGHTS: Readonly<Record<string, Height>> = {
  architecture: byLines(200, 28),
  block: byLines(60, 18),
  c4: byLines(200, 30),
  classDiagram: byLines(140, 16),
  cynefin: () => 510,
  er: byLines(300, 14),
  eventmodeling: byLines(130, 22),
  gantt: byLines(80, 16),
  gitGraph: byLines(250, 4),
  ishikawa: () => 590,
  journey: () => 350,
  kanban: byLines(120, 8),
  mindmap: () => 450,
  packet: byLines(60, 14),
  pie: () => 450,
  quadrantChart: () => 520,
  radar: () => 660,
  railroad: byLines(400, 60),
  railroadAbnf: byLines(300, 60),
  railroadEbnf: byLines(400, 60),
  railroadPeg: byLines(300, 60),
  requirement: byLines(160, 8),
  sankey: () => 420,
  sequence: sequenceHeight,
  stateDiagram: byLines(200, 22),
  timeline: () => 380,
  treemap: () => 260,
  venn: () => 380,
  wardley: () => 500,
  xychart: () => 480,
};

function sequenceHeight(lines: readonly string[]): number {
  const named = lines.filter((line) => /^\s*(?:participant|actor)\s/.test(line)).length;
  return scaled(170 + 40 * (lines.length - 1 - named), 200 * Math.max(named, 2));
}

/** One that goes down has a step for each link of its longest way; one that goes across has its broadest step. */
function graphHeight({ links, isAcross }: NonNullable<KnownDiagram['graph']>): number {
  const steps = stepsOf(links);
  const broadest = Math.max(1, ...steps.values());
  return isAcross
    ? scaled(90 + 80 * broadest, 190 * steps.size)
    : scaled(30 + 135 * steps.size, 200 * broadest);
}

/** How many nodes each step has, where a node comes one step after all that lead to it. Links back do not count. */
function stepsOf(links: readonly Link[]): ReadonlyMap<number, number> {
  const before = new Map<string, string[]>();
  for (const { start, end } of links) {
    if (!before.has(start)) before.set(start, []);
    const starts = before.get(end) ?? [];
    // One that leads on already leads back by this link.
    if (!before.get(start)?.includes(end)) starts.push(start);
    before.set(end, starts);
  }
  const step = new Map<string, number>();
  const stepOf = (node: string): number => {
    const known = step.get(node);
    if (known !== undefined) return known;
    step.set(node, 0);
    const own = Math.max(-1, ...(before.get(node) ?? []).map(stepOf)) + 1;
    step.set(node, own);
    return own;
  };
  const counts = new Map<number, number>();
  for (const node of before.keys()) {
    const at = stepOf(node);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  return counts;
}
