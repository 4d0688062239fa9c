import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatDuration } from '../domain/duration.ts'
import { failureOf } from '../domain/failure.ts'
import type { Registry } from './registry.ts'

export type LoadOptions = {
  /** Paths (relative to `cwd`, absolute or file URLs; TypeScript or JavaScript) and package names. */
  specifiers: readonly string[]
  registry: Registry
  /** Where paths and packages are looked up from. */
  cwd: string
  log(level: 'info' | 'error', message: string): void
  /** How long a module may take to be imported. */
  timeoutMs?: number
}

const TIMEOUT_MS = 30_000

/** The entries of a comma-separated list. */
export const splitSpecifiers = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/**
 * Imports modules and registers what they export, in order. A module that cannot be imported or is refused is reported
 * to `log` and in `registry.failures()`, and stops neither the others nor the server. Never rejects.
 */
export async function loadModules({
  specifiers,
  registry,
  cwd,
  log,
  timeoutMs = TIMEOUT_MS,
}: LoadOptions): Promise<void> {
  for (const specifier of specifiers) {
    const before = registry.failures().length
    try {
      const exported = await within(importModule(specifier, cwd), timeoutMs)
      const registration = registry.register(exported, { source: specifier })
      if (registration.ok) log('info', `Module "${registration.id}" loaded from ${specifier}.`)
    } catch (error) {
      registry.fail({ source: specifier, problems: [`Module ${specifier} cannot be imported: ${failureOf(error)}`] })
    }
    for (const { source, problems } of registry.failures().slice(before)) {
      log('error', `Module ${source} is not loaded, and its actions are not registered. ${problems.join(' ')}`)
    }
  }
}

/** What a module's file exports by default, or all that it exports. */
async function importModule(specifier: string, cwd: string): Promise<unknown> {
  const path = specifier.startsWith('file:') ? fileURLToPath(specifier) : resolve(cwd, specifier)
  const isPath = /^(\.|\/|file:|[A-Za-z]:[\\/])/.test(specifier) || existsSync(path)
  if (isPath && !existsSync(path)) throw new Error(`there is no file ${path}; correct the path in CUELIGHT_MODULES.`)
  const from = isPath ? path : join(cwd, 'package.json')
  const { createJiti } = await import('jiti')
  // Prisma's runtime, which cuelight/testing brings, is one file of 300 kB that took most of the time to translate.
  const jiti = createJiti(from, { alias: aliases(from), fsCache: false, nativeModules: ['@prisma/client'] })
  try {
    return await jiti.import(isPath ? path : specifier, { default: true })
  } catch (error) {
    if (isPath || !(error instanceof Error) || !error.message.startsWith(`Cannot find module '${specifier}'`))
      throw error
    throw new Error(
      `there is no package ${specifier} in ${cwd}; install it there, or correct its name in CUELIGHT_MODULES (a path begins with ./).`,
      { cause: error },
    )
  }
}

/**
 * A module may lie anywhere: `cuelight` is this very package then, and `zod` ours where it has none of its own.
 */
function aliases(from: string): Record<string, string> {
  const own = createRequire(import.meta.url)
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const ours = (path: string) => fileURLToPath(new URL(`../${path}.${extension}`, import.meta.url))
  const cuelight = { cuelight: ours('index'), 'cuelight/testing': ours('testing/index') }
  try {
    createRequire(from).resolve('zod')
    return cuelight
  } catch {
    return { ...cuelight, zod: own.resolve('zod') }
  }
}

async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it was not imported within ${formatDuration(limitMs)}.`)), limitMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
