/** An instant as a field of type datetime-local shows it: the clock of this device. */
export function toLocalField(instant: string): string {
  const at = new Date(instant)
  const two = (count: number) => String(count).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** The instant that such a field names; null where it names none. */
export function fromLocalField(text: string): string | null {
  const at = new Date(text)
  return text === '' || Number.isNaN(at.getTime()) ? null : at.toISOString()
}
