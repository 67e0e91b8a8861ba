// The panel in which a reader tries an operation, loaded when it is first opened.

import { DATA_ID, type OperationData } from '../../src/request/operation-data.ts';
import { chosenExample } from '../chosen-example.ts';
import { createPanel, type Panel } from './panel-dialog.ts';

/** By the script element that describes the operation, so that what was entered is still there. */
const panels = new WeakMap<Element, Panel>();

/** Opens the panel of the page's operation, whose style sheet has been loaded. The focus comes back to `button`. */
export function openPanel(button: HTMLElement): void {
  const holder = document.getElementById(DATA_ID);
  if (holder === null) return;
  const panel =
    panels.get(holder) ?? createPanel(JSON.parse(holder.textContent ?? '') as OperationData);
  panels.set(holder, panel);
  panel.open(button, chosenExample());
}
