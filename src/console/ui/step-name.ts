/** Says what a step is called: its label, else its action's, else that action's id. */
export type StepName = (step: { label: string | null; actionId: string }) => string
