import { startAnnouncement } from './announcement.ts';
import { startColors } from './colors.ts';
import { addCopyButtons } from './copy.ts';
import { find } from './dom.ts';
import { startMenu } from './menu.ts';
import { startNavigation } from './navigation.ts';
import { followOldAnchor } from './old-anchors.ts';
import { startFeedback, tellIfPrerendered, tellView } from './readers.ts';
import { startSamples } from './samples.ts';
import { watchBoxes } from './scroll-boxes.ts';
import { startSearchOpener } from './search-opener.ts';
import { startSidebar } from './sidebar.ts';
import { startTabs } from './tabs.ts';
import { openTarget } from './target.ts';
import { startHeadingMarks, watchHeadings } from './toc.ts';
import { offerPanel } from './try-it.ts';
import { startVersions } from './versions.ts';

// The script of every page. Pages can be read without it.

/** What each page gets, also one that is swapped in. */
function startPage(): void {
  addCopyButtons(document);
  watchHeadings(document);
  offerPanel(document);
  startDiagrams();
  startPreviewBar();
  startSamples();
  watchBoxes();
  startFeedback(document);
  openTarget(location.hash);
}

/** Most pages have no diagrams, and load nothing for them. */
async function startDiagrams(): Promise<void> {
  if (!find('.diagram')) return;
  const { drawDiagrams } = await import('./diagrams/diagrams.ts');
  drawDiagrams(document);
}

/** Pages that are live have none. */
async function startPreviewBar(): Promise<void> {
  if (!find('.site-preview')) return;
  const { sayHowLongAgo } = await import('./preview-bar.ts');
  sayHowLongAgo();
}

startColors();
startAnnouncement();
startSearchOpener();
startMenu();
startVersions();
startSidebar();
startHeadingMarks();
startTabs();
startPage();
startNavigation(() => {
  startPage();
  tellView();
});
tellIfPrerendered();
followOldAnchor();
addEventListener('hashchange', () => {
  openTarget(location.hash);
  followOldAnchor();
});
