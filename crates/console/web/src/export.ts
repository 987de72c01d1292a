/** The page of an exported run: the same as in the console, with its data in the document and no server behind it. */
import './fonts-inline.css'
import './app.css'
import { mount } from 'svelte'
import Exported from './Exported.svelte'

mount(Exported, { target: document.body })
