// Runs before the page is drawn, so that it never appears in the wrong colours, with an announcement that the
// reader has closed, or with a list that then moves.

import { hideClosedAnnouncement } from './announcement.ts';
import { showBarColor } from './bar-color.ts';
import { restoreOpenTags } from './open-tags.ts';

const { classList, dataset } = document.documentElement;
classList.add('js');
try {
  const choice = localStorage.getItem('colorMode');
  if (choice === 'light' || choice === 'dark') {
    dataset.theme = choice;
    showBarColor(choice);
  }
} catch {
  // Storage can be forbidden; then the system's choice applies.
}
hideClosedAnnouncement();
restoreOpenTags();
