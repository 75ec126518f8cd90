import { defineConfig } from "vite";

const SERVER = "http://127.0.0.1:8765";

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../src/keepsaid/server/page",
    emptyOutDir: true,
    target: "es2022",
    // The content security policy allows neither inline scripts nor data: addresses for anything but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/v1": SERVER, "/openapi.json": SERVER, "/docs": SERVER } },
});
