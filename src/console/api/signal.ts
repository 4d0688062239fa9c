import { useSyncExternalStore } from 'react'

/** A value that others are told of when it changes. */
export class Signal<Value> {
  #value: Value
  readonly #listeners = new Set<() => void>()

  constructor(value: Value) {
    this.#value = value
  }

  get value(): Value {
    return this.#value
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const listener of this.#listeners) listener()
  }

  /** A field, so that it can be handed on as it is. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** What is chosen of a value: only another choice draws anew. It is the same for as long as what it is chosen from is. */
export function useChosen<Value, Chosen>(signal: Signal<Value>, choose: (value: Value) => Chosen): Chosen {
  return useSyncExternalStore(signal.subscribe, () => choose(signal.value))
}

export function useSignal<Value>(signal: Signal<Value>): Value {
  return useSyncExternalStore(signal.subscribe, () => signal.value)
}
