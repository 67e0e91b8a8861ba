// Runs in each page before its own scripts. `window.bench` has what happens in it.
(() => {
  const HEADINGS = 'h1, h2, h3, h4';
  /** How far above a heading its operation is looked for, in elements. */
  const MAX_ANCESTORS = 8;
  const MAX_TEXTS = 5_000;
  const MAX_PIECES = 6;

  const bench = { readableAt: undefined, clickedAt: undefined, shift: 0, longTasks: [] };
  let wanted;

  const observe = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({
      type,
      buffered: true,
    });
  observe('layout-shift', (entry) => {
    if (!entry.hadRecentInput) bench.shift += entry.value;
  });
  observe('longtask', ({ startTime, duration }) => bench.longTasks.push([startTime, duration]));
  addEventListener('click', ({ timeStamp }) => (bench.clickedAt = timeStamp), true);

  const textOf = (node) => node.textContent.replace(/\s+/g, ' ').trim();

  /** Whether an operation is in view: its heading in the upper half, and a name of its parameters at most a screen below. */
  function isReadable({ summary, parameter }) {
    for (const heading of document.querySelectorAll(HEADINGS)) {
      const { top, height } = heading.getBoundingClientRect();
      const isInView = height > 0 && top >= 0 && top < innerHeight / 2;
      if (isInView && textOf(heading).includes(summary)) return hasBelow(heading, parameter, top);
    }
    return false;
  }

  /** Whether a name stands below a heading. It may be written in several pieces, between which lines may break. */
  function hasBelow(heading, name, top) {
    let around = heading.parentElement;
    for (let up = 0; around && around !== document.body && up < MAX_ANCESTORS; up++) {
      const texts = document.createTreeWalker(around, NodeFilter.SHOW_TEXT);
      const last = [];
      for (let at = 0; at < MAX_TEXTS && texts.nextNode(); at++) {
        last.unshift(texts.currentNode.data.trim());
        if (!endsIn(last, name)) continue;
        const box = texts.currentNode.parentElement.getBoundingClientRect();
        if (box.height > 0 && box.top >= top && box.top < 2 * innerHeight) return true;
      }
      around = around.parentElement;
    }
    return false;
  }

  /** Whether the last pieces of text, the very last one first, make a name. */
  function endsIn(last, name) {
    let text = '';
    for (let at = 0; at < MAX_PIECES && at < last.length; at++) {
      text = last[at] + text;
      if (text === name) return true;
    }
    last.length = Math.min(last.length, MAX_PIECES);
    return false;
  }

  /** Looks at each frame. The time is that of the task after it: the frame is painted then. */
  function look() {
    if (wanted && bench.readableAt === undefined && isReadable(wanted)) {
      wanted = undefined;
      setTimeout(() => (bench.readableAt = performance.now()));
      return;
    }
    if (wanted) requestAnimationFrame(look);
  }

  bench.expect = (operation) => {
    wanted = operation;
    bench.readableAt = undefined;
    bench.clickedAt = undefined;
    requestAnimationFrame(look);
  };
  window.bench = bench;
})();
