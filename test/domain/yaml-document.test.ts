import { describe, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { readYaml } from '../../src/domain/yaml-document.ts'

const read = (text: string) => readYaml(parseDocument(text, { prettyErrors: false, stringKeys: true }))

describe('what a document of YAML says', () => {
  test('anchors and aliases are what they stand for, also where an anchor is set again', () => {
    const { contents, problems } = read('one: &a { x: 1 }\ntwo: *a\nthree: &a 3\nfour: *a\n')
    expect(problems).toEqual([])
    expect(contents).toEqual({ one: { x: 1 }, two: { x: 1 }, three: 3, four: 3 })
  })

  test.each([
    ['title: *bold\n', 7, 'There is no anchor &bold'],
    ['title: *later\nslug: &later x\n', 7, 'There is no anchor &later'],
    ['spec: &s\n  phases: [*s]\n', 20, 'This alias is a part of what it stands for, &s'],
    ['title: &t [*t]\n', 11, 'This alias is a part of what it stands for, &t'],
    ['graceSeconds: .nan\n', 14, 'This number is beyond double precision, or none'],
    ['params: { count: -.inf }\n', 17, 'This number is beyond double precision, or none'],
    ['count: 1e999\n', 7, 'This number is beyond double precision, or none'],
    ['title: !loud x\n', 7, 'Unresolved tag'],
    ['title: x\ntitle: y\n', 9, 'Map keys must be unique'],
    ['title: x\n---\ntitle: y\n', 9, 'Here another document begins'],
  ])('%j is a problem at its place', (text, offset, message) => {
    const { contents, problems } = read(text)
    expect(contents).toBeNull()
    expect(problems).toMatchObject([{ offset, message: expect.stringContaining(message) }])
  })

  test('a small text that says very much is refused', () => {
    const levels = ['a: &l0 [x, x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 6; level += 1) {
      levels.push(
        `l${level}: &l${level} [${Array(10)
          .fill(`*l${level - 1}`)
          .join(', ')}]`,
      )
    }
    expect(read(levels.join('\n'))).toMatchObject({
      contents: null,
      problems: [{ offset: 0, message: expect.stringContaining('stand for too much') }],
    })
  })
})
