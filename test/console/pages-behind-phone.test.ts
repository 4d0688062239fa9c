import { lookEverywhere } from './look-everywhere.ts'

lookEverywhere({ which: 'behind', phone: true })
