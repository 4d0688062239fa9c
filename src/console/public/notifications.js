// Phones show a page's notifications only through a worker. It keeps nothing and answers no request.
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(
    self.clients.matchAll({ type: 'window' }).then(async ([page]) => {
      if (page === undefined) return self.clients.openWindow('/cues')
      await page.focus()
      page.postMessage('show-cues')
    }),
  )
})
