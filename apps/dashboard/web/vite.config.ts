import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// `dashboard serve` runs this build by itself; for work on the pages with instant reload, run
// `vite apps/dashboard/web` beside it, which passes the API's requests on.
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    emptyOutDir: true,
    // The content security policy lets no inline data in where a file would do.
    assetsInlineLimit: 0,
    // Every browser that the pages are for preloads modules by itself.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
  server: { proxy: { '/api': process.env.DASHBOARD_URL ?? 'http://127.0.0.1:8081' } },
});
