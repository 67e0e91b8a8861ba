import { Html } from '@petstore/reference/html.ts';

// Outlines of Lucide (ISC licence), as far as pages need them.

function icon(name: string, paths: string, size = 18): Html {
  return new Html(
    `<svg class="icon-${name}" width="${size}" height="${size}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`,
  );
}

export const SEARCH = icon('search', '<circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/>', 17);

export const MENU = icon('menu', '<path d="M4 6h16M4 12h16M4 18h16"/>', 20);

export const THEMES = [
  icon('system', '<rect x="3" y="4" width="18" height="12" rx="2"/><path d="M8 20h8M12 16v4"/>'),
  icon(
    'light',
    '<circle cx="12" cy="12" r="4"/><path d="M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M6.3 17.7l-1.4 1.4M19.1 4.9l-1.4 1.4"/>',
  ),
  icon('dark', '<path d="M21 12.8A9 9 0 1 1 11.2 3a7 7 0 0 0 9.8 9.8z"/>'),
];
