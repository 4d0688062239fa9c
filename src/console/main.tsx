import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './console.css'
import './touch.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { styleNonce } from './style-nonce.ts'

// Where the library that keeps a page from scrolling behind a dialog looks for it.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root.')
createRoot(root).render(<App />)
