import './fonts.css'
import './app.css'
import { mount } from 'svelte'
import App from './App.svelte'

mount(App, { target: document.body })
// What the document began with was there to be painted before this script.
document.getElementById('first')?.remove()
