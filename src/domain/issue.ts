/** One thing that is wrong with an input: where (`phases[1].steps[0].params.count`) and a sentence that says what to do. */
export type Issue = { path: string; message: string }
