/** The graph of a flow, laid out by layers. Loaded with the page that shows one. */
import { Graph, layout } from '@dagrejs/dagre'
import type { FlowGraph } from '../api/replies'

export interface PlacedNode {
  path: string
  x: number
  y: number
  width: number
  height: number
}

export interface PlacedEdge {
  from: string
  to: string
  condition: string
  taken: number
  points: { x: number; y: number }[]
}

export interface PlacedFlow {
  width: number
  height: number
  nodes: PlacedNode[]
  edges: PlacedEdge[]
}

/** Above this, layered layout takes too long, and nobody reads the picture; a list is shown. */
export const FLOW_NODES_MAX = 300

/** Returns the last part of a node's path: what its author called it. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Places the nodes and edges of a flow, or nothing if there are too many. */
export function placeFlow(flow: FlowGraph): PlacedFlow | undefined {
  if (flow.nodes.length > FLOW_NODES_MAX) return undefined
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 16, ranksep: 56, marginx: 8, marginy: 24 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const node of flow.nodes) graph.setNode(node.path, { width: 40 + 7.2 * nameOf(node.path).length, height: 40 })
  const known = new Set(flow.nodes.map((node) => node.path))
  const edges = flow.edges.filter((edge) => known.has(edge.from) && known.has(edge.to))
  for (const [i, edge] of edges.entries()) graph.setEdge(edge.from, edge.to, {}, String(i))
  layout(graph)
  const box = graph.graph() as { width?: number; height?: number }
  return {
    width: box.width ?? 0,
    height: box.height ?? 0,
    nodes: flow.nodes.map(({ path }) => {
      const { x, y, width, height } = graph.node(path) as { x: number; y: number; width: number; height: number }
      return { path, x, y, width, height }
    }),
    edges: edges.map((edge, i) => {
      const { points } = graph.edge(edge.from, edge.to, String(i)) as { points: { x: number; y: number }[] }
      return { ...edge, points }
    }),
  }
}
