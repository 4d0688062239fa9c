import { lookEverywhere } from './look-everywhere.ts'

lookEverywhere('at a desk', { phone: false })
