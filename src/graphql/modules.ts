import { actionSettings } from '../store/setting-reads.ts'
import { needs } from './access.ts'
import { shared } from './batch.ts'
import { builder } from './builder.ts'
