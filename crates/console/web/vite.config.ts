import { copyFileSync } from 'node:fs'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

/** Chunks that are loaded when a page needs them. Names are fixed, so a change of the page is a diff and no rename. */
const LATER = ['editor', 'flow', 'pages']

// Fonts keep their names too, each with its licence beside it.
const FONTS = { inter: '@fontsource-variable/inter', 'jetbrains-mono': '@fontsource-variable/jetbrains-mono' }
for (const [name, source] of Object.entries(FONTS)) {
  const from = `${import.meta.dirname}/node_modules/${source}`
  const to = `${import.meta.dirname}/public/${name}`
  copyFileSync(`${from}/files/${name}-latin-wght-normal.woff2`, `${to}.woff2`)
  copyFileSync(`${from}/LICENSE`, `${to}-licence.txt`)
}

/** The page of an exported run is one script and one style sheet, which the exporter puts into a document. */
const exported = {
  // Fonts are part of the style sheet: there is nothing to ask for.
  assetsInlineLimit: 1_000_000,
  emptyOutDir: false,
  copyPublicDir: false,
  rolldownOptions: {
    input: 'src/export.ts',
    output: { format: 'iife' as const, entryFileNames: 'export.js', assetFileNames: 'export.css', codeSplitting: false },
  },
}

const console = {
  emptyOutDir: true,
  rolldownOptions: {
    output: {
      entryFileNames: 'console.js',
      chunkFileNames: (chunk: { name: string }) => (LATER.includes(chunk.name) ? `${chunk.name}.js` : 'shared-[name].js'),
      assetFileNames: 'console.css',
    },
  },
}

export default defineConfig(({ mode }) => ({
  plugins: [svelte()],
  build: {
    outDir: '../assets',
    target: ['chrome123', 'firefox125', 'safari17.5'],
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    ...(mode === 'export' ? exported : console),
  },
  test: { include: ['test/**/*.test.ts'], environment: 'node', testTimeout: 20_000 },
}))
