import { lookEverywhere } from './look-everywhere.ts'

lookEverywhere('on a phone', { phone: true })
