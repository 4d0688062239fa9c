import { lookEverywhere } from './look-everywhere.ts'

lookEverywhere('live')
