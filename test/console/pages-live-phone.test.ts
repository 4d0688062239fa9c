import { lookEverywhere } from './look-everywhere.ts'

lookEverywhere({ which: 'live', phone: true })
