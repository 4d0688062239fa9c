import ICAL from 'ical.js'
import { expect, test } from 'vitest'
import { type IcalEvent, icalEventText, icalendarText } from '../../src/domain/icalendar.ts'
import { randomFrom } from '../support/random.ts'

// What is written is read by a parser that is not ours.

const AT = Date.parse('2026-03-06T20:00:00.900Z')

const event: IcalEvent = {
  uid: '0198f0c2-7bc3-5549-a8d4-170961bbd5d5',
  at: AT,
  end: null,
  sequence: 10_003,
  modified: Date.parse('2026-03-01T08:30:15Z'),
  status: 'CONFIRMED',
  summary: 'Invasion of Yew',
  location: '',
  description: 'Defend the town.',
  url: null,
}
const calendarOf = (events: readonly IcalEvent[]) =>
  icalendarText({ name: 'Cuelight', description: 'All of it.', refreshMinutes: 15, events: events.map(icalEventText) })

function read(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text))
  return { calendar, events: calendar.getAllSubcomponents('vevent').map((part) => new ICAL.Event(part)) }
}

test('a calendar says who made it, its name, and how often to look again', () => {
  const { calendar } = read(calendarOf([]))
  const value = (name: string) => String(calendar.getFirstPropertyValue(name))
  expect(value('version')).toBe('2.0')
  expect(value('prodid')).toContain('Cuelight')
  expect([value('name'), value('x-wr-calname')]).toEqual(['Cuelight', 'Cuelight'])
  expect(value('x-wr-caldesc')).toBe('All of it.')
  expect([value('refresh-interval'), value('x-published-ttl')]).toEqual(['PT15M', 'PT15M'])
  expect(calendar.getFirstProperty('refresh-interval')?.type).toBe('duration')
})

test('an event has the second in UTC that it starts on, and an end only if that is later', () => {
  const ends = [null, AT - 1000, AT + 50, AT + 90_000]
  const { events } = read(calendarOf(ends.map((end, index) => ({ ...event, uid: `${index}`, end }))))
  expect(events.map(({ startDate }) => startDate.toString())).toEqual(Array(4).fill('2026-03-06T20:00:00Z'))
  const withEnd = events.filter(({ component }) => component.hasProperty('dtend'))
  expect(withEnd.map(({ uid, endDate }) => [uid, endDate.toString()])).toEqual([['3', '2026-03-06T20:01:30Z']])
  const [first] = events
  expect(first?.sequence).toBe(10_003)
  expect(first?.component.getFirstPropertyValue('status')).toBe('CONFIRMED')
  for (const name of ['dtstamp', 'last-modified'])
    expect(String(first?.component.getFirstPropertyValue(name))).toBe('2026-03-01T08:30:15Z')
  expect(first?.component.hasProperty('location')).toBe(false)
  expect(first?.component.hasProperty('url')).toBe(false)
})

test('every text comes back as it was, but for control characters', () => {
  const random = randomFrom(20_260_306)
  const parts = ['\\', ';', ',', ':', '\n', '\r\n', '"', "'", ' ', 'a', 'é', '国', '👹', '\t', '\\n', 'BEGIN:VEVENT']
  const textOf = () =>
    Array.from({ length: 1 + random() * 200 }, () => parts[Math.floor(random() * parts.length)]).join('')
  const events = Array.from({ length: 200 }, (_, index) => ({
    ...event,
    uid: `${index}`,
    summary: textOf(),
    location: textOf(),
    description: textOf(),
  }))
  const text = calendarOf(events)
  const back = read(text).events.map(({ uid, summary, location, description }) => ({
    uid,
    summary,
    location,
    description,
  }))
  const oneBreak = (value: string) => value.replaceAll('\r\n', '\n')
  expect(back).toEqual(
    events.map(({ uid, summary, location, description }) => ({
      uid,
      summary: oneBreak(summary),
      location: oneBreak(location),
      description: oneBreak(description),
    })),
  )
  // RFC 5545, 3.1: each line ends in CRLF, and has no more than 75 octets before it; no character is cut.
  const lines = text.split('\r\n')
  expect(lines.pop()).toBe('')
  expect(lines.filter((line) => Buffer.byteLength(line) > 75 || /[\r\n]/.test(line))).toEqual([])
  expect(lines.filter((line) => Buffer.from(line).toString() !== line)).toEqual([])
  expect(lines.filter((line) => line.startsWith(' ')).length).toBeGreaterThan(200)
})

test('control characters, which no text may hold, become spaces', () => {
  const { events } = read(calendarOf([{ ...event, summary: 'one\u0000two\u001b[1Athree\u0085four' }]))
  expect(events[0]?.summary).toBe('one two [1Athree four')
})
