import { cleanDrawing } from './clean-drawing.ts';
import type { DrawingRequest, DrawingResponse } from './drawing.ts';
import { mermaidTheme } from './mermaid-theme.ts';

// Draws diagrams, in a frame with a policy of its own: Mermaid puts styles into what it measures. A page sends a diagram
// with a port, and gets the drawing back through it.

interface Mermaid {
  initialize(config: object): void;
  render(id: string, code: string): Promise<{ readonly svg: string }>;
}

const address = document.querySelector<HTMLMetaElement>('meta[name=mermaid]')?.content ?? '';
const loaded = import(address).then(({ default: mermaid }: { default: Mermaid }) => mermaid);

/** Settings that a diagram cannot change: Mermaid's own list, to which ours are added. */
const SECURE = [
  'secure',
  'securityLevel',
  'startOnLoad',
  'maxTextSize',
  'maxEdges',
  'suppressErrorRendering',
];

/** Kinds that Mermaid would lay out with ELK, which is 1.6 MB. A diagram can still ask for that. */
const GRAPHS = ['flowchart', 'class', 'state', 'er', 'requirement'];

/** Charts of time cannot be read when they are narrower, in pixels; they scroll. */
const NARROWEST = 560;

let count = 0;

/** Mermaid draws one at a time, with the colours that it was given last. */
let latest: Promise<unknown> = Promise.resolve();

addEventListener('message', ({ origin, data, ports: [port] }) => {
  if (origin !== location.origin || !port) return;
  const answer = latest.then(() => draw(data as DrawingRequest)).catch(failure);
  latest = answer.then((response) => port.postMessage(response));
});

async function draw({ code, width, colors }: DrawingRequest): Promise<DrawingResponse> {
  const mermaid = await loaded;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    ...Object.fromEntries(GRAPHS.map((kind) => [kind, { layout: 'dagre' }])),
    suppressErrorRendering: true,
    // What would load is left out before the frame's policy has to say so.
    dompurifyConfig: { FORBID_TAGS: ['img', 'image', 'video', 'audio', 'style', 'form', 'input'] },
    secure: [...SECURE, 'dompurifyConfig', 'deterministicIds'],
    // The same diagram looks the same whenever it is drawn.
    deterministicIds: true,
    ...mermaidTheme(colors),
  });
  count += 1;
  document.body.style.width = `${Math.max(width, NARROWEST)}px`;
  const { svg } = await mermaid.render(`diagram-${count}`, code);
  return cleanDrawing(svg);
}

const failure = (error: unknown): DrawingResponse => ({
  error: error instanceof Error ? error.message : String(error),
});
