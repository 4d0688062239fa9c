/** Whether this browser can show notifications for this page at all. */
export const canNotify = (): boolean => 'Notification' in window && 'serviceWorker' in navigator && isSecureContext

/** Asks for leave; whether it was given. */
export async function askToNotify(): Promise<boolean> {
  if (!canNotify()) return false
  await navigator.serviceWorker.register('/notifications.js')
  return (await Notification.requestPermission()) === 'granted'
}

/** Shows a notification that stays until somebody has seen it, one for each tag. */
export async function notify(title: string, { body, tag }: { body: string; tag: string }): Promise<void> {
  if (!canNotify() || Notification.permission !== 'granted') return
  await navigator.serviceWorker.register('/notifications.js')
  // Only one that is ready may show anything, which takes it a moment the first time.
  const worker = await navigator.serviceWorker.ready
  await worker.showNotification(title, { body, tag, icon: '/icon.svg', requireInteraction: true })
}
