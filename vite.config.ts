import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const outDir = fileURLToPath(new URL('./dist/console', import.meta.url))

/** The server that `npm run console:dev` passes the API's requests on to. */
const server = process.env.CUELIGHT_URL ?? 'http://127.0.0.1:4000'

/** Compressed once, here, and not for each browser that asks. */
function compressed(): Plugin {
  let folder = outDir
  return {
    name: 'compressed',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir)
    },
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|svg)$/.test(name)) continue
        const file = join(folder, name)
        const bytes = readFileSync(file)
        writeFileSync(`${file}.br`, brotliCompressSync(bytes))
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
      }
    },
  }
}

export default defineConfig({
  root: fileURLToPath(new URL('./src/console', import.meta.url)),
  plugins: [react(), compressed()],
  // The server puts another one in with each page that it serves.
  html: { cspNonce: 'CSP_NONCE' },
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_500,
    rolldownOptions: { experimental: { lazyBarrel: true }, checks: { largeBarrelModules: false } },
  },
  server: { host: '127.0.0.1', port: 4100, proxy: { '/graphql': { target: server, ws: true } } },
})
