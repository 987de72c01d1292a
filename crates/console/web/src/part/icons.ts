/** Sixteen icons of our own, on a grid of 16 with strokes of 1.5. */
export const ICONS = {
  overview: 'M2.5 9.5h3l1 2h3l1-2h3M2.5 9.5v3h11v-3M2.5 9.5l2-6h7l2 6',
  runs: 'M3 4h6M5 8h6M7 12h6',
  workflows: 'M2.5 3h4v3.5h-4zM9.5 9.5h4V13h-4zM4.5 6.5v4.75h5',
  backpacks: 'M4 6.5a4 4 0 0 1 8 0v6.5H4zM6.5 2.9V2h3v.9M6 9.5h4M8 9.5v1.5',
  files: 'M2.5 12.5v-9h4l1.5 2h5.5v7z',
  context: 'M8 2.5v3M8 5.5H3.5v3M8 5.5h4.5v3M2 8.5h3v4H2zM6.5 8.5h3v4h-3zM11 8.5h3v4h-3zM8 5.5v3',
  settings: 'M2.5 5h7M12.5 5h1M2.5 11h1M6.5 11h7M11 3.5v3M5 9.5v3',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5l3 3',
  branch: 'M5 3v10M5 10c0-3 6-1.5 6-5.5M5 3m-1 0a1 1 0 1 0 2 0 1 1 0 1 0-2 0M11 3.5m-1 0a1 1 0 1 0 2 0 1 1 0 1 0-2 0',
  chevron: 'M6 4l4 4-4 4',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  play: 'M5 3.5l7 4.5-7 4.5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  sun: 'M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
} as const

export type IconName = keyof typeof ICONS
