let context: AudioContext | undefined

/** Browsers play nothing before somebody has touched the page; from then on a cue may. */
export function prepareChime(): void {
  context ??= new AudioContext()
  if (context.state === 'suspended') void context.resume()
}

/** Two tones, the second higher: somebody is asked for. */
export function chime(): void {
  prepareChime()
  const audio = context
  if (audio === undefined || audio.state !== 'running') return
  for (const [index, pitch] of [660, 880].entries()) {
    const at = audio.currentTime + index * 0.18
    const tone = new OscillatorNode(audio, { type: 'sine', frequency: pitch })
    const volume = new GainNode(audio, { gain: 0 })
    volume.gain.setValueAtTime(0, at)
    volume.gain.linearRampToValueAtTime(0.35, at + 0.02)
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.4)
    tone.connect(volume).connect(audio.destination)
    tone.start(at)
    tone.stop(at + 0.45)
  }
}
