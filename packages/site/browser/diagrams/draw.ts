import { addressOf } from '../dom.ts';
import type { DrawingColors, DrawingRequest, DrawingResponse } from './drawing.ts';

/** The page of the site that draws. */
const FRAME = '/_assets/diagrams.html';

let frame: Promise<HTMLIFrameElement> | undefined;

/** Has a diagram drawn in the colours of the page, for a place of this width. The frame is loaded for the first one. */
export async function draw(
  code: string,
  width: number,
): Promise<{ readonly response: DrawingResponse; readonly colors: DrawingColors }> {
  frame ??= loadFrame();
  const element = await frame;
  const colors = colorsOf(element);
  const request: DrawingRequest = { code, width, colors };
  const { port1, port2 } = new MessageChannel();
  const drawn = new Promise<DrawingResponse>((resolve) => {
    port1.onmessage = ({ data }) => {
      port1.close();
      resolve(data);
    };
  });
  element.contentWindow?.postMessage(request, location.origin, [port2]);
  return { response: await drawn, colors };
}

/** It has a size, and is never seen: what is drawn there is measured. */
function loadFrame(): Promise<HTMLIFrameElement> {
  const element = document.createElement('iframe');
  element.className = 'diagram-frame';
  element.src = addressOf(FRAME);
  element.title = 'Diagrams';
  element.tabIndex = -1;
  element.ariaHidden = 'true';
  return new Promise((resolve) => {
    element.onload = () => resolve(element);
    document.body.append(element);
  });
}

/** The style of the frame has the site's colours, so that the browser says what they are now. */
function colorsOf(element: HTMLIFrameElement): DrawingColors {
  const style = getComputedStyle(element);
  return {
    paper: style.backgroundColor,
    ink: style.color,
    soft: style.caretColor,
    line: style.borderTopColor,
    accent: style.accentColor,
  };
}
